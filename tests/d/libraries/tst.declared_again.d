/*
 * A plain declaration with the same type is accepted and changes nothing.
 *
 * opts: -q
 */

int EPERM;

BEGIN
{
	trace(EPERM);
	exit(0);
}
