/*
 * The result of a shift has the type of its left operand.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", 1 << 31);
	printf("%d\n", 1 << 32);
	printf("%d\n", 1L << 40);
	printf("%d\n", -8 >> 1);
	printf("%d\n", (unsigned)-8 >> 28);
	printf("%d\n", 256 >> 4L);
	printf("%d\n", sizeof('a' << 1L));
	exit(0);
}
