/*
 * Later uses have the same numbers.
 *
 * line: 11
 * message: llquantize() lmag (argument #2) doesn't match previous declaration: expected 0, found 1
 */

BEGIN
{
	@ = llquantize(1, 10, 0, 3, 10);
	@ = llquantize(1, 10, 1, 3, 10);
}
