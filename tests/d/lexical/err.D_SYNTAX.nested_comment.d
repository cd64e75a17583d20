/*
 * Comments do not nest.
 *
 * message: ?* encountered inside a comment
 * line: 10
 */

BEGIN
{
	/* a /* b */
	trace(1);
}
