/*
 * stack() takes one argument.
 *
 * line: 9
 */

BEGIN
{
	stack(1, 2);
}
