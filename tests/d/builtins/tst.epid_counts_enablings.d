/*
 * epid is given out from 1 in the order of enabling.
 *
 * opts: -q
 */

BEGIN { printf("%d\n", epid); }
END { printf("%d\n", epid); }
BEGIN { printf("%d\n", epid); exit(0); }
