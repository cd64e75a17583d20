/*
 * A size is a number with k, m, g or t of either case.
 *
 * opts: -q -x bufsize=512k -x aggsize=1M -x strsize=1K
 */

BEGIN
{
	printf("%d\n", sizeof(string));
	exit(0);
}
