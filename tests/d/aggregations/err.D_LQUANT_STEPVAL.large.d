/*
 * The step is at most 65535.
 *
 * line: 9
 */

BEGIN
{
	@ = lquantize(1, 0, 1000000, 70000);
}
