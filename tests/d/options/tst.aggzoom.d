/*
 * The longest bar takes 95 % of the column.
 *
 * opts: -q -x aggzoom
 */

BEGIN
{
	@ = quantize(1);
	@ = quantize(2, 2);
	exit(0);
}
