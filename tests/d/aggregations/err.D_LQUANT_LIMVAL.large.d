/*
 * The limit of lquantize has 32 bits.
 *
 * line: 9
 */

BEGIN
{
	@ = lquantize(1, 0, 0x100000000);
}
