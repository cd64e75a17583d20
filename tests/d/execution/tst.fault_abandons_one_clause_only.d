/*
 * A fault abandons its clause; later clauses of the probe and ERROR still run.
 *
 * opts: -q
 */

BEGIN { printf("not printed\n"); x = 0; y = 1 / x; printf("nor this\n"); }
BEGIN { printf("next clause\n"); exit(0); }
ERROR { printf("error\n"); }
