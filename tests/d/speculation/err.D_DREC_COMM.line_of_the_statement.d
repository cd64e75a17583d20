/*
 * discard has no restriction; an action behind commit has, at the end of its statement.
 *
 * line: 15
 * message: data-recording actions may not follow commit( )
 */

BEGIN
{
	discard(1);
	commit(1);
	discard(1);
	trace(
	    1
	    );
}
