/*
 * stack() takes one argument.
 *
 * line: 10
 * message: stack( ) prototype mismatch: 2 args passed, at most 1 expected
 */

BEGIN
{
	stack(1, 2);
}
