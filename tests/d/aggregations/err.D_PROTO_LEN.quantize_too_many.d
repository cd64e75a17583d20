/*
 * quantize takes at most two.
 *
 * line: 8
 * message: quantize( ) prototype mismatch: 3 args passed, at most 2 expected
 */

BEGIN { @a = quantize(1, 2, 3); }
