/*
 * The number of frames of stack() is positive.
 *
 * line: 10
 * message: stack( ) argument #1 must be a non-zero positive integer constant
 */

BEGIN
{
	stack(0);
}
