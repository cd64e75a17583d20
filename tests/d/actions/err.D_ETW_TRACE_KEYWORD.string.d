/*
 * The keyword is a constant.
 *
 * message: etw_trace( ) argument #5 must be an integer
 * line: 10
 */

BEGIN
{
	etw_trace("p", "{3c6f1d4c-0000-1111-2222-0123456789ab}", "e", 0, "k");
}
