/*
 * A packed histogram shows negative counts with v.
 *
 * opts: -q -x aggpack -x encoding=ascii
 */

BEGIN
{
	@["a"] = quantize(5);
	@["a"] = quantize(1);
	@["a"] = quantize(30, -3);
	@["bb"] = quantize(100);
	@l[1] = lquantize(5, 0, 20, 5);
	@l[1] = lquantize(25, 0, 20, 5);
	exit(0);
}
