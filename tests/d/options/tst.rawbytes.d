/*
 * With rawbytes every trace() is a hex dump of what was recorded.
 *
 * opts: -q -x rawbytes -x strsize=12
 */

BEGIN
{
	trace("hello");
	trace(258);
	trace((char)65);
	exit(0);
}
