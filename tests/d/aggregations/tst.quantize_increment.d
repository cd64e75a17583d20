/*
 * An increment may be negative; mixed signs share a centred axis.
 *
 * opts: -q
 */

BEGIN
{
	@ = quantize(3, -2);
	@ = quantize(9, 5);
	exit(0);
}
