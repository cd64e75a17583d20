/*
 * After exit the remaining clauses of the firing and all other probes are skipped, but END.
 *
 * opts: -q
 */

BEGIN { exit(0); }
BEGIN { printf("never\n"); }
tick-1ms { printf("never\n"); }
END { printf("end\n"); }
END { printf("end too\n"); }
