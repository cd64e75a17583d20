/*
 * The step leaves at least one level.
 *
 * line: 9
 */

BEGIN
{
	@ = lquantize(1, 0, 10, 20);
}
