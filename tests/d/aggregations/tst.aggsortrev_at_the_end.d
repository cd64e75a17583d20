/*
 * With aggsortrev the aggregations that are left at the end come in reverse, too.
 *
 * opts: -q -x aggsortrev
 */

BEGIN { @first["x"] = count(); @first["y"] = count(); @second["z"] = sum(7); exit(0); }
