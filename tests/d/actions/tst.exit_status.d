/*
 * exit ends tracing and the command exits with its status; the rest of the clause still runs.
 *
 * opts: -q
 * status: 5
 */

BEGIN { printf("a "); exit(5); printf("b "); }
BEGIN { printf("c "); }
END { printf("e\n"); }
