/*
 * /= is an operator in a clause.
 *
 * opts: -q
 */

BEGIN
{
	x = 84;
	x /= 2;
	printf("%d\n", x);
	exit(0);
}
