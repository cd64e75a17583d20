/*
 * A base outside 2 to 36 is an illegal operation.
 *
 * opts: -q
 */

BEGIN { trace(lltostr(1, 37)); }
BEGIN { trace(strtoll("1", 1)); }
ERROR { printf("%d\n", arg4); n++; }
ERROR /n == 2/ { exit(0); }
