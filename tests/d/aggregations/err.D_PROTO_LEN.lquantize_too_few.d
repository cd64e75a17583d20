/*
 * lquantize takes at least three.
 *
 * line: 8
 * message: lquantize( ) prototype mismatch: 1 arg passed, at least 3 expected
 */

BEGIN { @a = lquantize(1); }
