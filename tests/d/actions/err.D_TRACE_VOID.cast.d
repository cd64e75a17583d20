/*
 * trace needs a value.
 *
 * message: trace( ) may not be applied to a void expression
 * line: 10
 */

BEGIN
{
	trace((void)0);
}
