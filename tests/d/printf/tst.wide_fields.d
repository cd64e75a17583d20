/*
 * Fields may be as wide as one likes.
 *
 * opts: -q
 */

BEGIN
{
	printf("%90d|\n", 1);
	printf("%-90d|\n", 1);
	printf("%.40d|\n", 1);
	printf("%045d|\n", -1);
	exit(0);
}
