/*
 * *(char *)NULL faults at offset 16: NULL costs four instructions.
 *
 * opts: -q
 */

BEGIN { x = *(char *)NULL; }
ERROR { printf("%d %d %d\n", arg3, arg4, arg5); exit(0); }
