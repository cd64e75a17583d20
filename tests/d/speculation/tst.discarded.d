/*
 * What is discarded is not printed, and its ID is free again.
 *
 * opts: -q
 */

BEGIN { s = speculation(); }
BEGIN { speculate(s); printf("no\n"); }
BEGIN { discard(s); }
BEGIN { printf("%d\n", speculation()); exit(0); }
