/*
 * Later uses have the same numbers.
 *
 * message: lquantize( ) base (argument #1) doesn't match previous declaration: expected -10, found 0
 * line: 11
 */

BEGIN
{
	@ = lquantize(1, -10, 10);
	@ = lquantize(1, 0, 10);
}
