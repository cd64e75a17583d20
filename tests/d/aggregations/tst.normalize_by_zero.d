/*
 * A normal of 0 is refused when it is met.
 *
 * opts: -q
 */

BEGIN { @a = sum(1000); normalize(@a, 0); printa("%@d\n", @a); exit(0); }
