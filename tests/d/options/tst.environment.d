/*
 * DTRACE_OPT_NAME in the environment sets an option before the command line does; bad ones are
 * ignored.
 *
 * env: DTRACE_OPT_QUIET=1 DTRACE_OPT_STRSIZE=7 DTRACE_OPT_NOSUCH=1 DTRACE_OPT_BUFSIZE=x
 */

BEGIN
{
	printf("%d\n", sizeof(string));
	exit(0);
}
