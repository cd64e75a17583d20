/*
 * %S escapes, and shows the NUL at the end.
 *
 * opts: -q
 */

BEGIN { printf("[%S][%S][%S]\n", "a\n", "", "t\t\"q\\"); exit(0); }
