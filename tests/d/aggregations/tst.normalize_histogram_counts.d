/*
 * The counts of a histogram are divided per row, the bars are drawn from raw counts.
 *
 * opts: -q
 */

BEGIN, BEGIN, BEGIN { @ = quantize(1); }
BEGIN { @ = quantize(2); normalize(@, 2); exit(0); }
