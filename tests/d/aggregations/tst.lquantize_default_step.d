/*
 * The step of lquantize is 1 when it is not given; the increment is the last argument.
 *
 * opts: -q
 */

BEGIN
{
	@ = lquantize(2, 0, 5);
	@w = lquantize(2, -3, 5, 1, 7);
	@w = lquantize(-3, -3, 5, 1, 0 - 7 + 14);
	exit(0);
}
