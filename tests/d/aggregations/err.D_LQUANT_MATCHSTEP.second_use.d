/*
 * Later uses have the same numbers.
 *
 * line: 11
 * message: lquantize( ) step (argument #3) doesn't match previous declaration: expected 1, found 2
 */

BEGIN
{
	@ = lquantize(1, 0, 10, 1);
	@ = lquantize(1, 0, 10, 2);
}
