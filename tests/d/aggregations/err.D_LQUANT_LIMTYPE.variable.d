/*
 * The limit of lquantize is an integer constant.
 *
 * line: 10
 * message: lquantize( ) argument #3 must be an integer constant
 */

BEGIN
{
	@ = lquantize(1, 0, pid);
}
