/*
 * A character of NULL is a fault.
 *
 * opts: -q
 */

string s;
BEGIN { s = NULL; trace(s[0]); }
ERROR { printf("fault %d\n", arg4); exit(0); }
