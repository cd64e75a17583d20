/*
 * count takes no argument.
 *
 * message: count( ) prototype mismatch: 1 arg passed, 0 expected
 * line: 10
 */

BEGIN
{
	@a = count(1);
}
