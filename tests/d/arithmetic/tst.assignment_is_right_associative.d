/*
 * a = b = 3 assigns both.
 *
 * opts: -q
 */

BEGIN
{
	a = b = 3;
	printf("%d %d\n", a, b);
	a += b *= 2;
	printf("%d %d\n", a, b);
	exit(0);
}
