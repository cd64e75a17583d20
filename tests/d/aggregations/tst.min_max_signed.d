/*
 * min and max take signed 64-bit values.
 *
 * opts: -q
 */

BEGIN { @i = min(5); @i = min(-9); @x = max(-5); @x = max(-2); printa("%@d ", @i); printa("%@d\n", @x); exit(0); }
