/*
 * The factor is at least 2.
 *
 * line: 9
 */

BEGIN
{
	@ = llquantize(1, 1, 0, 3, 10);
}
