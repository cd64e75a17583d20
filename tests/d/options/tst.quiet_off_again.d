/*
 * A boolean set to false becomes unset, and the last one wins.
 *
 * opts: -q -x quiet=false
 */

BEGIN
{
	trace(1);
	exit(0);
}
