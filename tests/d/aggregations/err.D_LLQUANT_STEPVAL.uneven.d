/*
 * The steps divide the factor or are a multiple of it.
 *
 * line: 10
 * message: llquantize( ) argument #5 (steps) must divide the factor, or be a multiple of it that divides the range of an order evenly
 */

BEGIN
{
	@ = llquantize(1, 10, 0, 3, 15);
}
