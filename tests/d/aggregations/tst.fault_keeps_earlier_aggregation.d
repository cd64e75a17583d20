/*
 * An aggregation before a fault in its clause stays.
 *
 * opts: -q
 */

BEGIN { @["before"] = count(); x = 0; @after["after"] = sum(1 / x); }
ERROR { exit(0); }
