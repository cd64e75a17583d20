/*
 * The high magnitude is an integer constant.
 *
 * line: 10
 * message: llquantize( ) argument #4 must be an integer constant
 */

BEGIN
{
	@ = llquantize(1, 10, 0, pid, 10);
}
