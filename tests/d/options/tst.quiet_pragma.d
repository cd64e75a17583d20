/*
 * The pragma has the effect of -q, on the matched message too.
 *
 * opts: -x stackindent=3
 */

#pragma D option quiet
BEGIN
{
	trace(1);
	exit(0);
}
