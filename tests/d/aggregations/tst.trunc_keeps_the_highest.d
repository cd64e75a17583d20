/*
 * trunc keeps the n highest, or the lowest for a negative n.
 *
 * opts: -q
 */

BEGIN { @a["a"] = sum(1); @a["b"] = sum(2); @a["c"] = sum(3); @b["a"] = sum(1); @b["b"] = sum(2); @b["c"] = sum(3); trunc(@a, 1); trunc(@b, -1); printa("%s ", @a); printa("%s\n", @b); exit(0); }
