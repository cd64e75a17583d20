/*
 * speculate may not follow commit.
 *
 * line: 11
 * message: speculate( ) may not follow commit( )
 */

BEGIN
{
	commit(1);
	speculate(1);
}
