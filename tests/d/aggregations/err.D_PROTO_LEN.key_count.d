/*
 * An aggregation keeps its number of keys.
 *
 * message: @a[ ] prototype mismatch: 1 key passed, 2 expected
 * line: 11
 */

BEGIN
{
	@a[1, 2] = count();
	@a[1] = count();
}
