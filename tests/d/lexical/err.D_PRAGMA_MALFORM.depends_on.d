/*
 * depends_on needs a class and a name.
 *
 * message: malformed #pragma depends_on <class> <name>
 * line: 8
 */

#pragma D depends_on provider
BEGIN
{
	exit(0);
}
