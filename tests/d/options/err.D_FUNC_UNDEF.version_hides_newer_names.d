/*
 * With version=1.2 names that came later are not visible.
 *
 * opts: -x version=1.2
 * message: undefined function name: inet_ntoa
 */

BEGIN
{
	trace(inet_ntoa(alloca(4)));
	exit(0);
}
