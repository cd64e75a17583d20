/*
 * Some etw types are known, and refused.
 *
 * message: etw_trace( ) argument #6 is an etw type that is not implemented
 * line: 10
 */

BEGIN
{
	etw_trace("p", "{3c6f1d4c-0000-1111-2222-0123456789ab}", "e", 0, 0, "etw_sid", "f", 1);
}
