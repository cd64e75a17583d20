/*
 * The shift count is taken modulo 64: x << 64 is x.
 *
 * opts: -q
 */

long x;
BEGIN
{
	x = 5;
	n = 64;
	printf("%d\n", x << n);
	printf("%d\n", x >> n);
	n = 65;
	printf("%d\n", x << n);
	exit(0);
}
