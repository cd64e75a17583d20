/*
 * If that fails the predicate is compiled first.
 *
 * opts: -q
 */

BEGIN
/(x = 5) == 5/
{
	printf("%d\n", x);
	exit(0);
}
