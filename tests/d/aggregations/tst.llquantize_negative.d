/*
 * Its buckets are symmetric about zero.
 *
 * opts: -q
 */

BEGIN
{
	@ = llquantize(-4, 10, 1, 2, 10);
	@ = llquantize(0, 10, 1, 2, 10);
	@ = llquantize(25, 10, 1, 2, 10);
	@ = llquantize(-25, 10, 1, 2, 10);
	exit(0);
}
