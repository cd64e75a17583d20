/*
 * Later uses have the same numbers.
 *
 * message: llquantize() hmag (argument #3) doesn't match previous declaration: expected 2, found 3
 * line: 11
 */

BEGIN
{
	@ = llquantize(1, 10, 0, 2, 10);
	@ = llquantize(1, 10, 0, 3, 10);
}
