/*
 * Several aggregations are joined by their keys; what is missing is 0.
 *
 * opts: -q
 */

BEGIN { @a["a"] = sum(1); @a["b"] = sum(2); @b["b"] = sum(5); @b["c"] = sum(-1); printa("%s %@d %@d %@d\n", @a, @b); exit(0); }
