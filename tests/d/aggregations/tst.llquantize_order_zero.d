/*
 * Below 10 only whole numbers have rows.
 *
 * opts: -q
 */

BEGIN
{
	@ = llquantize(5, 10, 0, 1, 20);
	@ = llquantize(10, 10, 0, 1, 20);
	@ = llquantize(17, 10, 0, 1, 20);
	exit(0);
}
