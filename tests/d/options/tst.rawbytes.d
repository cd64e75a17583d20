/*
 * With rawbytes an array is never printed as a string, and values are dumped.
 *
 * opts: -x rawbytes -q
 */

BEGIN
{
	trace(0x41424344);
	exit(0);
}
