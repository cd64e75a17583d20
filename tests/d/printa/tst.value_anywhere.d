/*
 * %@ may come before and between the keys, and again.
 *
 * opts: -q
 */

BEGIN { @a["x", 5] = sum(3); printa("%@d %s %@5d %d %@x\n", @a); exit(0); }
