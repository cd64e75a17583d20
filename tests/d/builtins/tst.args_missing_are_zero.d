/*
 * Missing arguments are 0.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg9);
	exit(0);
}
