/*
 * The number of frames of stack() is positive.
 *
 * line: 9
 */

BEGIN
{
	stack(0);
}
