/*
 * Overflow wraps.
 *
 * opts: -q
 */

long big;
BEGIN
{
	big = 0x7fffffffffffffff;
	printf("%d\n", big + 1);
	printf("%d\n", -(big + 1));
	printf("%d\n", big * 2);
	i = 2147483647;
	printf("%d\n", i + 1);
	printf("%d\n", i + 1 > 0);
	i = i + 1;
	printf("%d\n", i);
	exit(0);
}
