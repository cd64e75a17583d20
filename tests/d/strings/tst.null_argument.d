/*
 * So is NULL as the argument of a subroutine.
 *
 * opts: -q
 */

BEGIN { trace(strjoin("a", NULL)); }
ERROR { printf("fault %d %x\n", arg4, arg5); exit(0); }
