/*
 * A tuple has up to 8 keys.
 *
 * opts: -q
 */

BEGIN { a[1, 2, 3, 4, 5, 6, 7, 8] = 9; printf("%d %d\n", a[1, 2, 3, 4, 5, 6, 7, 8], a[1, 2, 3, 4, 5, 6, 7, 9]); exit(0); }
