/*
 * There are at most 65535 levels.
 *
 * line: 9
 */

BEGIN
{
	@ = lquantize(1, 0, 100000);
}
