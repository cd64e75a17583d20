/*
 * A subroutine is no aggregating function.
 *
 * line: 9
 */

BEGIN
{
	@a = strlen("a");
}
