/*
 * depends_on knows the classes provider, module and library.
 *
 * message: invalid class foo specified by #pragma depends_on
 * line: 8
 */

#pragma D depends_on foo bar
BEGIN
{
	exit(0);
}
