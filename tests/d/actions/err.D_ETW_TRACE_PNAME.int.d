/*
 * The provider name is a string.
 *
 * message: etw_trace( ) argument #1 must be a string
 * line: 10
 */

BEGIN
{
	etw_trace(1);
}
