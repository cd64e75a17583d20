/*
 * An element that is set to 0 is as if it had never been there.
 *
 * opts: -q
 */

BEGIN { a[1] = 5; a[1] = 0; printf("%d %d\n", a[1], a[2]); exit(0); }
