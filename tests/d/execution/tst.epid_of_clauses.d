/*
 * Each clause is an enabling with an EPID of its own.
 *
 * opts: -q
 */

BEGIN { printf("%d ", epid); }
BEGIN { printf("%d %d\n", epid, id); exit(0); }
