/*
 * The default of strsize is 256.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", sizeof(string));
	exit(0);
}
