/*
 * A scalar takes no tuple.
 *
 * message: cannot access scalar x as an associative array
 * line: 11
 */

int x;
BEGIN
{
	x[1, 2] = 1;
}
