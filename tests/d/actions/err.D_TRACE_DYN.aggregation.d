/*
 * An aggregation is no value.
 *
 * message: trace( ) may not be applied to a dynamic expression
 * line: 11
 */

BEGIN
{
	@a = count();
	trace(@a);
}
