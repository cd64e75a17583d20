/*
 * In ERROR arg1 is the EPID, arg2 the action, arg3 the offset, arg4 the fault, arg5 its value.
 *
 * opts: -q
 */

BEGIN { x = (int *)64; }
BEGIN { a = 1; y = *x; }
ERROR { printf("%d %d %d %d %d\n", arg1, arg2, arg3, arg4, arg5); exit(0); }
