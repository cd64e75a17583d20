/*
 * factor^(high + 1) fits 64 bits.
 *
 * line: 9
 */

BEGIN
{
	@ = llquantize(1, 10, 0, 25, 10);
}
