/*
 * With -x version a newer name is not visible.
 *
 * status: 1
 * opts: -x version=1.2
 */

BEGIN
{
	trace(strtoll("1"));
	exit(0);
}
