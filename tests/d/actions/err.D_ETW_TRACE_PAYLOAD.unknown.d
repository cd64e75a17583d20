/*
 * A field has one of the etw types.
 *
 * message: etw_trace( ) argument #6 is not a supported etw type
 * line: 10
 */

BEGIN
{
	etw_trace("p", "{3c6f1d4c-0000-1111-2222-0123456789ab}", "e", 0, 0, "etw_int9", "f", 1);
}
