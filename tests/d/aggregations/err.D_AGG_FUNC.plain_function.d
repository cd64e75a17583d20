/*
 * A subroutine is no aggregating function.
 *
 * line: 10
 * message: @a must be assigned the result of an aggregating function
 */

BEGIN
{
	@a = strlen("a");
}
