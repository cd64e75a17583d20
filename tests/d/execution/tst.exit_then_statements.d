/*
 * What stands behind exit in its clause still runs; no other clause does.
 *
 * opts: -q
 * status: 5
 */

BEGIN { printf("a "); exit(5); printf("b "); }
BEGIN { printf("c "); }
END { printf("e\n"); }
