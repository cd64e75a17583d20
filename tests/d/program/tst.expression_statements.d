/*
 * An expression without effect is allowed as a statement.
 *
 * opts: -q
 */

BEGIN
{
	1 + 2;
	x = 3, y = 4;
	x;
	printf("%d %d\n", x, y);
	exit(0);
}
