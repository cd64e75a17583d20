/*
 * quantize is a power-of-two histogram with an empty row on either side.
 *
 * opts: -q
 */

int i;
BEGIN, BEGIN, BEGIN, BEGIN { @ = quantize(3); }
BEGIN, BEGIN { @ = quantize(1); }
BEGIN { @ = quantize(0); @ = quantize(5); @ = quantize(-4); exit(0); }
