/*
 * printa prints the values there are when its record is consumed: those of the whole firing.
 *
 * opts: -q
 */

BEGIN { @a = sum(1); printa("%@d ", @a); @a = sum(1); printa("%@d\n", @a); exit(0); }
