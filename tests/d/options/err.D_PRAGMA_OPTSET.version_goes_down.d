/*
 * A version lower than one asked for before is a conflict.
 *
 * opts: -x version=1.6
 * message: failed to set option 'version' to '1.5': Requested version conflicts with earlier setting: '1.5' is older
 */

#pragma D option version=1.5

BEGIN
{
	exit(0);
}
