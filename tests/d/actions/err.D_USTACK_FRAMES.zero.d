/*
 * The number of frames of ustack() is positive.
 *
 * message: ustack( ) argument #1 must be a non-zero positive integer constant
 * line: 10
 */

BEGIN
{
	ustack(0);
}
