/*
 * speculate() of it records nothing.
 *
 * opts: -q
 */

BEGIN { speculate(99); printf("no\n"); }
BEGIN { printf("yes\n"); exit(0); }
