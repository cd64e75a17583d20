/*
 * / % >> < are unsigned when the converted type is.
 *
 * opts: -q
 */

uint64_t u;
BEGIN
{
	u = 0xfffffffffffffff6;
	printf("%d\n", u / 2);
	printf("%d\n", u % 7);
	printf("%d\n", u >> 60);
	printf("%d\n", u > 1);
	printf("%d\n", (long)u / 2);
	printf("%d\n", (long)u >> 1);
	printf("%d\n", (long)u < 1);
	exit(0);
}
