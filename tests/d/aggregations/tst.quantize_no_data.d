/*
 * Increments that cancel leave the rows -1, 0 and 1.
 *
 * opts: -q
 */

BEGIN
{
	@ = quantize(8, 1);
	@ = quantize(8, -1);
	exit(0);
}
