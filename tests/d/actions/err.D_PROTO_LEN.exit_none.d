/*
 * exit needs a status.
 *
 * message: exit( ) prototype mismatch: 0 args passed, 1 expected
 * line: 10
 */

BEGIN
{
	exit();
}
