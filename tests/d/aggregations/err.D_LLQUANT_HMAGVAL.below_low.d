/*
 * The high magnitude is not below the low one.
 *
 * line: 10
 * message: llquantize( ) argument #4 (high magnitude) must not be less than argument #3 (low magnitude)
 */

BEGIN
{
	@ = llquantize(1, 10, 3, 2, 10);
}
