/*
 * Fields come in threes.
 *
 * message: etw_trace( ) payload must be type, field and value, as often as wanted
 * line: 10
 */

BEGIN
{
	etw_trace("p", "{3c6f1d4c-0000-1111-2222-0123456789ab}", "e", 0, 0, "etw_int8", "f");
}
