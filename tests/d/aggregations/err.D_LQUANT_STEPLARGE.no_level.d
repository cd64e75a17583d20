/*
 * The step leaves at least one level.
 *
 * line: 10
 * message: lquantize( ) argument #4 (step) is too large: there must be at least one quantization level
 */

BEGIN
{
	@ = lquantize(1, 0, 10, 20);
}
