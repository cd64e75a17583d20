/*
 * normalize needs a factor.
 *
 * line: 11
 * message: normalize( ) prototype mismatch: 1 arg passed, 2 expected
 */

BEGIN
{
	@a = count();
	normalize(@a);
}
