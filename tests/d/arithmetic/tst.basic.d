/*
 * Arithmetic is 64-bit two's complement.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", 6 * 7);
	printf("%d\n", 7 / 2);
	printf("%d\n", -7 / 2);
	printf("%d\n", 7 % 3);
	printf("%d\n", -7 % 3);
	printf("%d\n", 7 % -3);
	printf("%d\n", 1 + 2 * 3);
	printf("%d\n", (1 + 2) * 3);
	printf("%d\n", 10 - 2 - 3);
	printf("%d\n", -(-3));
	printf("%d\n", +5);
	printf("%d\n", ~0);
	printf("%d\n", !0);
	printf("%d\n", !7);
	exit(0);
}
