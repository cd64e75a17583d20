/*
 * quantize takes at most two.
 *
 * message: quantize( ) prototype mismatch: 3 args passed, at most 2 expected
 * line: 10
 */

BEGIN
{
	@a = quantize(1, 2, 3);
}
