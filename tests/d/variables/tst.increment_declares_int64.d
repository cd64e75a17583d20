/*
 * x++ on an unknown plain variable declares it as int64_t.
 *
 * opts: -q
 */

BEGIN
{
	x++;
	++y;
	z--;
	printf("%d\n", sizeof(x));
	printf("%d %d %d\n", x, y, z);
	exit(0);
}
