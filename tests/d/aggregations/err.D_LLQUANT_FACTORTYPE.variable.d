/*
 * The factor is an integer constant.
 *
 * line: 10
 * message: llquantize( ) argument #2 must be an integer constant
 */

BEGIN
{
	@ = llquantize(1, pid, 0, 3, 10);
}
