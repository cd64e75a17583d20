/*
 * $ sequences inside strings are not expanded.
 *
 * opts: -q
 * args: 5
 */

BEGIN
{
	printf("$1 $pid %d\n", $1);
	exit(0);
}
