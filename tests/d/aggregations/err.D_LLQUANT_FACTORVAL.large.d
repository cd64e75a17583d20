/*
 * The factor is at most 65535.
 *
 * line: 9
 */

BEGIN
{
	@ = llquantize(1, 70000, 0, 3, 10);
}
