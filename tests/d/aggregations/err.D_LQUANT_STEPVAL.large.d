/*
 * The step is at most 65535.
 *
 * line: 10
 * message: lquantize( ) argument #4 must be a 16-bit quantity
 */

BEGIN
{
	@ = lquantize(1, 0, 1000000, 70000);
}
