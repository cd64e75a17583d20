/*
 * A string that is set to NULL is NULL; tracing it is a fault.
 *
 * opts: -q
 */

BEGIN { s = "a"; s = NULL; printf("%d %d\n", s == NULL, s == ""); }
BEGIN { trace(s); }
ERROR { printf("fault %d at %x\n", arg4, arg5); exit(0); }
