/*
 * Operators bind as in C, with ^^ between && and ||.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", 2 + 3 * 4);
	printf("%d\n", 2 << 1 + 1);
	printf("%d\n", 1 | 2 ^ 3 & 2);
	printf("%d\n", 1 < 2 == 1);
	printf("%d\n", 6 & 3 == 3);
	printf("%d\n", 1 || 0 && 0);
	printf("%d\n", 1 ^^ 1 || 1);
	printf("%d\n", 0 && 1 ^^ 1);
	printf("%d\n", 1 ? 2 : 0 ? 3 : 4);
	printf("%d\n", -2 * -3);
	printf("%d\n", !1 + 1);
	printf("%d\n", ~1 & 7);
	printf("%d\n", 100 / 10 / 5);
	printf("%d\n", 100 - 10 - 5);
	printf("%d\n", 7 > 3 > 2);
	exit(0);
}
