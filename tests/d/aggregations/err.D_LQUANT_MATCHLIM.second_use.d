/*
 * Later uses have the same numbers.
 *
 * line: 10
 */

BEGIN
{
	@ = lquantize(1, 0, 10);
	@ = lquantize(1, 0, 11);
}
