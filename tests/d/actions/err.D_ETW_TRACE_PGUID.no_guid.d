/*
 * The second argument is a guid in braces.
 *
 * message: etw_trace( ) argument #2 must be a guid
 * line: 10
 */

BEGIN
{
	etw_trace("p", "3c6f1d4c");
}
