/*
 * The base of lquantize has 32 bits.
 *
 * line: 9
 */

BEGIN
{
	@ = lquantize(1, 0x100000000, 10);
}
