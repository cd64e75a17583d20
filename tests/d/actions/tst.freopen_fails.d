/*
 * When freopen fails the output stays where it was.
 *
 * opts: -q -w
 */

BEGIN
{
	freopen("/nonexistent/%d", 5);
	printf("still here\n");
	exit(0);
}
