/*
 * The second argument of ustack() is a positive constant.
 *
 * message: ustack( ) argument #2 must be a positive integer constant
 * line: 10
 */

BEGIN
{
	ustack(1, "a");
}
