/*
 * printa prints the values of its moment, again and again.
 *
 * opts: -q
 */

BEGIN { @ = sum(5); printa("%@d\n", @); printa("%@d\n", @); }
BEGIN { printa("%@d\n", @); clear(@); printa("%@d\n", @); exit(0); }
