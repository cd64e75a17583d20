/*
 * The event name is a string, with a group guid or without.
 *
 * message: etw_trace( ) argument #4 must be a string
 * line: 10
 */

BEGIN
{
	etw_trace("p", "{3c6f1d4c-0000-1111-2222-0123456789ab}", "{3c6f1d4c-0000-1111-2222-0123456789ab}", 1);
}
