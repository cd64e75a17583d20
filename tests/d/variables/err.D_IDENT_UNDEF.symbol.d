/*
 * A symbol must exist.
 *
 * message: failed to resolve `nosuchsym: Unknown symbol name
 * line: 10
 */

BEGIN
{
	trace(`nosuchsym);
}
