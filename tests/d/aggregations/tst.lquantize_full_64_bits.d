/*
 * The value is compared in full 64 bits.
 *
 * opts: -q
 */

BEGIN
{
	@ = lquantize(0x100000001, 0, 3);
	exit(0);
}
