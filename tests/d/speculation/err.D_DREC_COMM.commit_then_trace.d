/*
 * Data-recording actions may not follow commit.
 *
 * message: data-recording actions may not follow commit( )
 * line: 11
 */

BEGIN
{
	commit(1);
	trace(1);
}
