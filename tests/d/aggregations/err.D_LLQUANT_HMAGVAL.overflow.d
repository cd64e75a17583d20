/*
 * factor^(high + 1) fits 64 bits.
 *
 * line: 10
 * message: llquantize( ) argument #4 (high magnitude) is too large: the range does not fit 64 bits
 */

BEGIN
{
	@ = llquantize(1, 10, 0, 25, 10);
}
