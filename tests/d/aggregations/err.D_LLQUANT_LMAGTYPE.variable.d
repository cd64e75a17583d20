/*
 * The low magnitude is an integer constant.
 *
 * line: 10
 * message: llquantize( ) argument #3 must be an integer constant
 */

BEGIN
{
	@ = llquantize(1, 10, pid, 3, 10);
}
