/*
 * Unknown names and bad values of DTRACE_OPT_NAME are ignored without a message.
 *
 * opts: -q
 * env: DTRACE_OPT_NOSUCHOPTION=1 DTRACE_OPT_STRSIZE=banana
 */

BEGIN
{
	printf("%d\n", sizeof(string));
	exit(0);
}
