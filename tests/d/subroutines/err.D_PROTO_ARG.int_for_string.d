/*
 * A subroutine's arguments have the types of its prototype.
 *
 * line: 9
 */

BEGIN
{
	trace(strlen(3));
}
