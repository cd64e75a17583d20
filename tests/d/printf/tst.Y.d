/*
 * %Y prints nanoseconds since the epoch as local time.
 *
 * opts: -q
 */

BEGIN
{
	printf("%Y\n", 0LL);
	printf("%Y\n", 946684799000000000LL);
	exit(0);
}
