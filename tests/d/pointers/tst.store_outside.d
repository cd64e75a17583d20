/*
 * What is stored to lies in scratch memory or in a variable.
 *
 * opts: -q
 */

BEGIN { *(int *)64 = 1; }
ERROR { printf("%d %x\n", arg4, arg5); exit(0); }
