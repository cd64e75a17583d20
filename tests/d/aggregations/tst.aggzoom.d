/*
 * aggzoom draws the longest bar at 95 percent of the width.
 *
 * opts: -q -x aggzoom
 */

BEGIN, BEGIN, BEGIN, BEGIN { @ = quantize(1); }
BEGIN { @ = quantize(2); exit(0); }
