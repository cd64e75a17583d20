/*
 * INT64_MIN / -1 is INT64_MIN, its remainder 0: no crash.
 *
 * opts: -q
 */

long m;
long n;
BEGIN
{
	m = 1L << 63;
	n = -1;
	printf("%d\n", m / n);
	printf("%d\n", m % n);
	exit(0);
}
