/*
 * commit may not follow data-recording actions.
 *
 * message: commit( ) may not follow data-recording action(s)
 * line: 11
 */

BEGIN
{
	trace(1);
	commit(1);
}
