/*
 * A removed key re-appears with the new data only.
 *
 * opts: -q -x switchrate=200hz
 */

BEGIN { @["k"] = sum(5); trunc(@); }
tick-100ms { @["k"] = sum(2); exit(0); }
