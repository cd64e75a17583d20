/*
 * speculate(0) ends the clause, commit(0) and discard(0) do nothing.
 *
 * opts: -q
 */

BEGIN { x = 1; speculate(0); printf("no\n"); x = 2; if (x) { x = 3; } else { x = 4; } x = 5; }
BEGIN { commit(0); discard(0); }
BEGIN { printf("%d\n", x); exit(0); }
