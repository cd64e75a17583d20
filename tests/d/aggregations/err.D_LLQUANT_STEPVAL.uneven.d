/*
 * The steps divide the factor or are a multiple of it.
 *
 * line: 9
 */

BEGIN
{
	@ = llquantize(1, 10, 0, 3, 15);
}
