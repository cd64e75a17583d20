/*
 * printa needs an argument.
 *
 * line: 10
 * message: printa( ) prototype mismatch: 0 args passed, at least 1 expected
 */

BEGIN
{
	printa();
}
