/*
 * Comparison and logical results are int, 0 or 1.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", sizeof(1L == 1L));
	printf("%d\n", sizeof(1L && 1L));
	printf("%d\n", 5 && 3);
	printf("%d\n", 0 || 7);
	printf("%d\n", 5 == 5);
	printf("%d\n", 5 != 5);
	exit(0);
}
