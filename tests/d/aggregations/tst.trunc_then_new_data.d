/*
 * A removed key re-appears with the new data only.
 *
 * opts: -q
 */

BEGIN { @["k"] = sum(5); trunc(@); }
BEGIN { @["k"] = sum(2); exit(0); }
