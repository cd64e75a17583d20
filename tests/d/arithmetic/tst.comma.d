/*
 * The comma operator gives its right side.
 *
 * opts: -q
 */

BEGIN
{
	x = (1, 2, 3);
	printf("%d\n", x);
	printf("%d\n", (y = 4, y + 1));
	exit(0);
}
