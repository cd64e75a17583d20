/*
 * verbose is -S, not -v.
 *
 * opts: -q -x verbose
 */

BEGIN
{
	trace(7);
	exit(0);
}
