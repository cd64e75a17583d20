/*
 * Integers, pointers and strings are keys.
 *
 * opts: -q
 */

BEGIN { p = (int *)alloca(4); a[p, "s", (char)1] = 1; printf("%d %d\n", a[p, "s", (char)1], a[NULL, "s", (char)1]); exit(0); }
