/*
 * The provider name is a constant.
 *
 * message: etw_trace( ) argument #1 must not be a variable
 * line: 10
 */

BEGIN
{
	etw_trace(execname);
}
