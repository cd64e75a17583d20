/*
 * An action is no value.
 *
 * line: 10
 * message: trace( ) may not be applied to a void expression
 */

BEGIN
{
	trace(exit(1));
}
