/*
 * ustack() takes two arguments.
 *
 * line: 10
 * message: ustack( ) prototype mismatch: 3 args passed, at most 2 expected
 */

BEGIN
{
	ustack(1, 2, 3);
}
