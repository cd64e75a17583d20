/*
 * ?: groups from the right.
 *
 * opts: -q
 */

BEGIN { x = 0; printf("%d %d\n", 1 ? 2 : 0 ? 3 : 4, x ? 1 : x ? 2 : 3); exit(0); }
