/*
 * A NULL string is a fault.
 *
 * opts: -q
 */

string s;
BEGIN { s = NULL; printf("[%s]\n", s); }
ERROR { printf("fault %d\n", arg4); exit(0); }
