/*
 * An identifier bound to a newer version than the one asked for is not visible.
 *
 * opts: -x version=1.4
 * message: failed to resolve newer: Unknown variable name
 */

#pragma D binding "1.5" newer
inline int newer = 3;

BEGIN
{
	trace(newer);
	exit(0);
}
