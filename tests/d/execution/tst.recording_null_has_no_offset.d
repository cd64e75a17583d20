/*
 * When a fault comes from the copying of a record, the message has no offset.
 *
 * opts: -q
 */

string s;
BEGIN { s = NULL; printf("%s", s); }
ERROR { printf("%d %d %d\n", arg3, arg4, arg5); exit(0); }
