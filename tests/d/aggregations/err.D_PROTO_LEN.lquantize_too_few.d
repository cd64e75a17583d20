/*
 * lquantize takes at least three.
 *
 * message: lquantize( ) prototype mismatch: 1 arg passed, at least 3 expected
 * line: 10
 */

BEGIN
{
	@a = lquantize(1);
}
