/*
 * stack() is an action, not a value.
 *
 * message: tracing function stack( ) may not be called from a D expression (D program context required)
 * line: 10
 */

BEGIN
{
	trace(stack());
}
