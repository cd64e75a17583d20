/*
 * Every op= does as its operator.
 *
 * opts: -q
 */

BEGIN
{
	x = 7;
	printf("%d\n", x += 3);
	printf("%d\n", x -= 4);
	printf("%d\n", x *= 5);
	printf("%d\n", x /= 4);
	printf("%d\n", x %= 4);
	printf("%d\n", x <<= 4);
	printf("%d\n", x >>= 2);
	printf("%d\n", x &= 10);
	printf("%d\n", x |= 3);
	printf("%d\n", x ^= 6);
	printf("%d\n", x);
	exit(0);
}
