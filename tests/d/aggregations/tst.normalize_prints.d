/*
 * normalize changes what is printed; denormalize takes it back.
 *
 * opts: -q
 */

BEGIN { @a = sum(1000); normalize(@a, 10); printa("%@d ", @a); denormalize(@a); printa("%@d\n", @a); exit(0); }
