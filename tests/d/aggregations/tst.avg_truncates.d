/*
 * avg is the sum divided by the count, truncated toward zero.
 *
 * opts: -q
 */

BEGIN { @a = avg(3); @a = avg(4); @b = avg(-3); @b = avg(-4); printa("%@d ", @a); printa("%@d\n", @b); exit(0); }
