/*
 * Entries are printed in the order of their values.
 *
 * opts: -q
 */

BEGIN { @a["x"] = sum(3); @a["y"] = sum(1); @a["z"] = sum(2); printa("%s %@d\n", @a); exit(0); }
