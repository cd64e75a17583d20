/*
 * speculate(0) records nothing, commit(0) and discard(0) do nothing.
 *
 * opts: -q
 */

BEGIN { speculate(0); printf("no\n"); x = 1; }
BEGIN { commit(0); discard(0); }
BEGIN { printf("%d\n", x); exit(0); }
