/*
 * Later uses have the same numbers.
 *
 * line: 10
 */

BEGIN
{
	@ = llquantize(1, 10, 0, 3, 10);
	@ = llquantize(1, 2, 0, 3, 2);
}
