/*
 * A star's argument is an int.
 *
 * line: 9
 */

BEGIN
{
	printf("%*d", "a", 1);
}
