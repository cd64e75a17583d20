/*
 * If limit - base is no multiple of step, the printed limit is base + levels * step.
 *
 * opts: -q
 */

BEGIN
{
	@ = lquantize(9, 0, 10, 3);
	@ = lquantize(8, 0, 10, 3);
	exit(0);
}
