/*
 * The level is at most 5.
 *
 * message: etw_trace( ) argument #4 must be a valid integer between 0 and 5
 * line: 10
 */

BEGIN
{
	etw_trace("p", "{3c6f1d4c-0000-1111-2222-0123456789ab}", "e", 6, 0);
}
