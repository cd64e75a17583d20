/*
 * ustack() takes two arguments.
 *
 * line: 10
 * message: ustack( ) prototype mismatch: 3 args passed, at least 0 expected
 */

BEGIN
{
	ustack(1, 2, 3);
}
