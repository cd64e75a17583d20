/*
 * A value is compatible with its etw type.
 *
 * message: etw_trace( ) argument #8 is incompatible with its etw type
 * line: 10
 */

BEGIN
{
	etw_trace("p", "{3c6f1d4c-0000-1111-2222-0123456789ab}", "e", 0, 0, "etw_int8", "f", "x");
}
