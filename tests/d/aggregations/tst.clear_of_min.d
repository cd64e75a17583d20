/*
 * After clear min and max are at their start.
 *
 * opts: -q
 */

BEGIN { @i = min(5); clear(@i); @x = max(5); clear(@x); printa("%@d ", @i); printa("%@d\n", @x); exit(0); }
