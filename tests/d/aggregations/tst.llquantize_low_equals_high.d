/*
 * Low may equal high, and fewer steps than the factor may divide it.
 *
 * opts: -q
 */

BEGIN
{
	@ = llquantize(45, 10, 1, 1, 5);
	exit(0);
}
