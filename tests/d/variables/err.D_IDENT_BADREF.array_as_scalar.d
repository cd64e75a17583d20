/*
 * An associative array needs a key.
 *
 * message: associative array 'a' may not be referenced as scalar
 * line: 11
 */

BEGIN
{
	a[1] = 1;
	trace(sizeof(a));
}
