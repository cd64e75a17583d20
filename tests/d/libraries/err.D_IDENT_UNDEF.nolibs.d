/*
 * With nolibs their names are not there.
 *
 * line: 11
 * opts: -x nolibs
 * message: failed to resolve ENOENT: Unknown variable name
 */

BEGIN
{
	trace(ENOENT);
}
