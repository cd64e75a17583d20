/*
 * sum takes one argument.
 *
 * message: sum( ) prototype mismatch: 0 args passed, 1 expected
 * line: 10
 */

BEGIN
{
	@a = sum();
}
