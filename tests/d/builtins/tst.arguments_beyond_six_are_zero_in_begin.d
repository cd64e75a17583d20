/*
 * arg6 to arg9 exist for every probe.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d %d %d %d\n", arg6, arg7, arg8, arg9);
	exit(0);
}
