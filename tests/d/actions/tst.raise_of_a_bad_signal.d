/*
 * raise of a number that is no signal is an illegal operation.
 *
 * opts: -q -w
 */

BEGIN { raise(1000); }
ERROR { printf("%d\n", arg4); exit(0); }
