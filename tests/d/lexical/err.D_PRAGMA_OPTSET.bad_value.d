/*
 * A bad option value in a pragma is an error that gives option and value.
 *
 * message: failed to set option 'bufsize' to '1q': Invalid value for specified option: '1q'; allowed: a size in bytes, with k, m, g or t if need be
 * line: 8
 */

#pragma D option bufsize=1q
BEGIN
{
	exit(0);
}
