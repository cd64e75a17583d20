/*
 * An aggregating function is no statement.
 *
 * message: aggregating function count( ) may not be called from a D expression (D program context required)
 * line: 10
 */

BEGIN
{
	count();
}
