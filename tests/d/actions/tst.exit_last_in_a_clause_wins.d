/*
 * A second exit in the same clause replaces the status.
 *
 * opts: -q
 * status: 5
 */

BEGIN { exit(1); printf("%d\n", 2); exit(5); }
