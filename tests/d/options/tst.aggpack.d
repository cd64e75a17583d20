/*
 * Histograms are drawn in one line, a cell for each bucket.
 *
 * opts: -q -x aggpack -x encoding=ascii
 */

BEGIN
{
	@["a"] = quantize(1);
	@["a"] = quantize(1);
	@["a"] = quantize(100);
	@["b"] = quantize(5);
	@["b"] = quantize(9, -1);
	@l = lquantize(35, 0, 100, 10);
	@l = lquantize(-5, 0, 100, 10);
	exit(0);
}
