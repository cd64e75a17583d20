/*
 * Later uses have the same numbers.
 *
 * line: 11
 * message: llquantize() steps (argument #4) doesn't match previous declaration: expected 10, found 20
 */

BEGIN
{
	@ = llquantize(1, 10, 0, 3, 10);
	@ = llquantize(1, 10, 0, 3, 20);
}
