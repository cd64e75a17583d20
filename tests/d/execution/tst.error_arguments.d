/*
 * ERROR has the enabling, the clause, the offset, the fault and its value.
 *
 * opts: -q
 */

ERROR { printf("%d %d %d %d %x\n", arg1, arg2, arg3, arg4, arg5); exit(0); }
BEGIN { x = 1; y = *(int *)64; }
