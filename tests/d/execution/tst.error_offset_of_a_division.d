/*
 * q = n / (m - 2) is ldgs, ldgs, setx, sub, sdiv: the fault is at offset 16.
 *
 * opts: -q
 */

BEGIN { m = 2; n = 1; }
BEGIN { q = n / (m - 2); }
ERROR { printf("%d %d\n", arg3, arg4); exit(0); }
