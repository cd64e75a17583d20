/*
 * What etw_trace() is not given is named.
 *
 * message: etw_trace( ) argument #5 missing - keyword
 * line: 10
 */

BEGIN
{
	etw_trace("p", "{3c6f1d4c-0000-1111-2222-0123456789ab}", "e", 0);
}
