/*
 * What was printed by printa is not printed at the end.
 *
 * opts: -q
 */

BEGIN { @a = count(); @b = sum(7); printa("%@d\n", @a); exit(0); }
