/*
 * So is a discard.
 *
 * opts: -q
 */

BEGIN { discard(99); }
ERROR { printf("%d\n", arg4); exit(0); }
