/*
 * The low magnitude is at most 65535.
 *
 * line: 10
 * message: llquantize( ) argument #3 (low magnitude) must be an unsigned 16-bit quantity
 */

BEGIN
{
	@ = llquantize(1, 10, 70000, 3, 10);
}
