/*
 * A subroutine takes as many arguments as its prototype.
 *
 * message: strlen( ) prototype mismatch: 2 args passed, 1 expected
 * line: 10
 */

BEGIN
{
	trace(strlen("a", "b"));
}
