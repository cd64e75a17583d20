/*
 * Without data lquantize shows its first three buckets.
 *
 * opts: -q
 */

BEGIN
{
	@ = lquantize(5, 0, 10);
	clear(@);
	exit(0);
}
