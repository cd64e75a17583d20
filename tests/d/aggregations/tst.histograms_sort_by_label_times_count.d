/*
 * Histograms sort by the sum of label times count.
 *
 * opts: -q
 */

BEGIN
{
	@["big"] = quantize(1024);
	@["many"] = quantize(1);
	@["many"] = quantize(1);
	@["neg"] = quantize(-8);
	exit(0);
}
