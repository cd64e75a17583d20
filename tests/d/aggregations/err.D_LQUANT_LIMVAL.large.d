/*
 * The limit of lquantize has 32 bits.
 *
 * line: 10
 * message: lquantize( ) argument #3 must be a 32-bit quantity
 */

BEGIN
{
	@ = lquantize(1, 0, 0x100000000);
}
