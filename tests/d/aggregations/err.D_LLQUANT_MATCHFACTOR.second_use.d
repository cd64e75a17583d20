/*
 * Later uses have the same numbers.
 *
 * line: 11
 * message: llquantize() factor (argument #1) doesn't match previous declaration: expected 10, found 2
 */

BEGIN
{
	@ = llquantize(1, 10, 0, 3, 10);
	@ = llquantize(1, 2, 0, 3, 2);
}
