/*
 * Without data llquantize shows the middle bucket and the next two.
 *
 * opts: -q
 */

BEGIN
{
	@a = llquantize(5, 10, 1, 2, 10);
	@b = llquantize(5, 10, 0, 2, 10);
	clear(@a);
	clear(@b);
	exit(0);
}
