/*
 * The base of lquantize is an integer constant.
 *
 * line: 10
 * message: lquantize( ) argument #2 must be an integer constant
 */

BEGIN
{
	@ = lquantize(1, pid, 10);
}
