/*
 * lquantize is a linear histogram with an underflow and an overflow bucket.
 *
 * opts: -q
 */

BEGIN
{
	@ = lquantize(5, 0, 100, 10);
	@ = lquantize(12, 0, 100, 10);
	@ = lquantize(13, 0, 100, 10);
	@ = lquantize(12, 0, 100, 10);
	@ = lquantize(29, 0, 100, 10);
	@ = lquantize(31, 0, 100, 10);
	@ = lquantize(-1, 0, 100, 10);
	@ = lquantize(200, 0, 100, 10);
	exit(0);
}
