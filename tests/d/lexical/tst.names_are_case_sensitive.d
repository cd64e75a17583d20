/*
 * Names are case-sensitive.
 *
 * opts: -q
 */

BEGIN
{
	x = 1;
	X = 2;
	printf("%d %d\n", x, X);
	exit(0);
}
