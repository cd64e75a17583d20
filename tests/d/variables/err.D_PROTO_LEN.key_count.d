/*
 * An array keeps its number of keys.
 *
 * message: a[ ] prototype mismatch: 1 key passed, 2 expected
 * line: 11
 */

BEGIN
{
	a[1, 2] = 1;
	a[1] = 1;
}
