/*
 * Each value argument of a printf is one action; plain assignments count.
 *
 * opts: -q
 */

BEGIN { a = 1; b = 2; x = 0; printf("%d %d %d", a, b, 1 / x); }
BEGIN { x = 1 / x; }
ERROR { printf("%d\n", arg2); }
BEGIN { exit(0); }
