/*
 * There are at most 65535 levels.
 *
 * line: 10
 * message: lquantize( ) argument #4 (step) is too small: there are more than 65535 quantization levels
 */

BEGIN
{
	@ = lquantize(1, 0, 100000);
}
