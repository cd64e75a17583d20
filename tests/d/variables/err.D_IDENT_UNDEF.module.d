/*
 * A symbol's module must exist.
 *
 * message: failed to resolve nomod`nosuchsym: Module is no longer loaded
 * line: 10
 */

BEGIN
{
	trace(nomod`nosuchsym);
}
