/*
 * ^^ is 1 when exactly one side is non-zero; both sides are evaluated.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", 0 ^^ 0);
	printf("%d\n", 5 ^^ 0);
	printf("%d\n", 0 ^^ 7);
	printf("%d\n", 5 ^^ 7);
	n = 0;
	printf("%d\n", (n++ || 1) ^^ n++);
	printf("%d\n", n);
	exit(0);
}
