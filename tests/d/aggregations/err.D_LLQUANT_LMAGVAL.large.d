/*
 * The low magnitude is at most 65535.
 *
 * line: 9
 */

BEGIN
{
	@ = llquantize(1, 10, 70000, 3, 10);
}
