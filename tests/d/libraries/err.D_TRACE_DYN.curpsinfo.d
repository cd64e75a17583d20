/*
 * curpsinfo is a translation, which has no value of its own.
 *
 * line: 10
 * message: trace( ) may not be applied to a dynamic expression
 */

BEGIN
{
	trace(curpsinfo);
}
