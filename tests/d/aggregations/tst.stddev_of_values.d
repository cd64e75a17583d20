/*
 * stddev is the root of the mean square less the squared mean.
 *
 * opts: -q
 */

BEGIN { @a = stddev(2); @a = stddev(4); @a = stddev(4); @a = stddev(4); @a = stddev(5); @a = stddev(5); @a = stddev(7); @a = stddev(9); printa("%@d\n", @a); exit(0); }
