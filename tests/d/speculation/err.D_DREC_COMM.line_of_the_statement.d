/*
 * discard has no restriction; an action behind commit has, at the end of its statement.
 *
 * line: 14
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
