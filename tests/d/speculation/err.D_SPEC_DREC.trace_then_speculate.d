/*
 * speculate may not follow data-recording actions.
 *
 * line: 11
 * message: speculate( ) may not follow data-recording action(s)
 */

BEGIN
{
	trace(1);
	speculate(1);
}
