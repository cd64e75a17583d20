/*
 * walltimestamp counts nanoseconds since 1970, UTC.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", walltimestamp / 1000000000 > 1700000000);
	printf("%d\n", walltimestamp / 1000000000 < 4000000000);
	exit(0);
}
