/*
 * execargs is the argument string of the process, joined with blanks.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", strlen(execargs) > 0);
	printf("%d\n", strstr(execargs, " -q ") != NULL);
	exit(0);
}
