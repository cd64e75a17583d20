/*
 * Under a false predicate no piece runs.
 *
 * opts: -q
 */

BEGIN /0/ { if (1) { printf("a"); } else { printf("b"); } printf("c"); }
BEGIN { printf("d\n"); exit(0); }
