/*
 * Without room for one dynamic variable nothing is traced.
 *
 * opts: -q -x dynvarsize=19
 * status: 1
 */

BEGIN { a[1] = 1; exit(0); }
