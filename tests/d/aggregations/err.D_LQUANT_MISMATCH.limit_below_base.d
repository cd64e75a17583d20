/*
 * The base is below the limit.
 *
 * line: 9
 */

BEGIN
{
	@ = lquantize(1, 10, 0);
}
