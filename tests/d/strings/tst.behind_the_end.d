/*
 * The text of a built-in variable is followed by zeros as far as a string may go, and by nothing then;
 * what is no value of the program is never read.
 *
 * opts: -q
 */

BEGIN { printf("%d %d %d\n", probename[4], probename[5], probename[256]); }
BEGIN { trace(probename[257]); }
BEGIN { trace(*(&probefunc[0] - 100000)); }
BEGIN { exit(0); }
ERROR { printf("%d %d\n", arg1, arg4); }
