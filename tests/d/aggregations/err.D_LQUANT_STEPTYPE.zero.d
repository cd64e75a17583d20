/*
 * The step is a positive constant.
 *
 * line: 10
 * message: lquantize( ) argument #4 must be a non-zero positive integer constant
 */

BEGIN
{
	@ = lquantize(1, 0, 10, 0);
}
