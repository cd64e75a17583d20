/*
 * A fault in the predicate is action 0.
 *
 * opts: -q
 */

BEGIN { z = 0; }
BEGIN /1 / z/ { printf("no\n"); }
ERROR { printf("%d %d %d\n", arg2, arg3, arg4); exit(0); }
