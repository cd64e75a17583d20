/*
 * The base of lquantize has 32 bits.
 *
 * line: 10
 * message: lquantize( ) argument #2 must be a 32-bit quantity
 */

BEGIN
{
	@ = lquantize(1, 0x100000000, 10);
}
