/*
 * ! takes pointers.
 *
 * opts: -q
 */

BEGIN { p = (int *)alloca(4); q = (int *)NULL; printf("%d %d\n", !p, !q); exit(0); }
