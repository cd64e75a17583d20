/*
 * Aggregations may stand in if.
 *
 * opts: -q
 */

BEGIN { x = 1; if (x) { @a["yes"] = count(); } else { @a["no"] = count(); } exit(0); }
