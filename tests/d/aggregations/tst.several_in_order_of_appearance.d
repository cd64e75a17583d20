/*
 * Aggregations left at the end print in the order of first appearance, without separators.
 *
 * opts: -q
 */

BEGIN { @b["x"] = count(); @a["y"] = sum(5); }
BEGIN { @b["z"] = count(); exit(0); }
