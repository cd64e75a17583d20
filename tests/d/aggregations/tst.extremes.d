/*
 * Values are signed 64-bit numbers.
 *
 * opts: -q
 */

BEGIN
{
	@min = min(9223372036854775807LL);
	@max = max(-9223372036854775807LL - 1);
	@sum = sum(9223372036854775807LL);
	@sum = sum(1);
	@avg = avg(-7);
	@avg = avg(-8);
	@q = quantize(-9223372036854775807LL - 1);
	@q = quantize(9223372036854775807LL);
	@l = lquantize(-9223372036854775807LL - 1, -5, 5, 5);
	@l = lquantize(9223372036854775807LL, -5, 5, 5);
	printa("%@d\n", @min);
	printa("%@d\n", @max);
	printa("%@d\n", @sum);
	printa("%@d\n", @avg);
	printa(@l);
	exit(0);
}

END
{
	trunc(@q);
}
