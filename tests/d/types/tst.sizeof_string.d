/*
 * sizeof(string) is strsize.
 *
 * opts: -q -x strsize=5
 */

BEGIN
{
	printf("%d\n", sizeof(string));
	exit(0);
}
