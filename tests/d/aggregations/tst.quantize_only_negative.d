/*
 * Only negative counts draw their bars right-aligned before the axis.
 *
 * opts: -q
 */

BEGIN
{
	@ = quantize(1, -3);
	@ = quantize(4, -1);
	exit(0);
}
