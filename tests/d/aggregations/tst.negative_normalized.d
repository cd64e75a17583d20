/*
 * Negative values are divided as signed ones.
 *
 * opts: -q
 */

BEGIN { @a = sum(-20); normalize(@a, 7); printa("%@d\n", @a); exit(0); }
