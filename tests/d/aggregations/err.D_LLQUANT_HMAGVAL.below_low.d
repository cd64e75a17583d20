/*
 * The high magnitude is not below the low one.
 *
 * line: 9
 */

BEGIN
{
	@ = llquantize(1, 10, 3, 2, 10);
}
