/*
 * Nor is ustack().
 *
 * line: 10
 * message: tracing function ustack( ) may not be called from a D expression (D program context required)
 */

BEGIN
{
	x = ustack();
}
