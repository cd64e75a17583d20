/*
 * The number of steps is a positive constant.
 *
 * line: 10
 * message: llquantize( ) argument #5 must be an integer constant
 */

BEGIN
{
	@ = llquantize(1, 10, 0, 3, pid);
}
