/*
 * sizeof of a string literal is its length + 1.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", sizeof("abc"));
	printf("%d\n", sizeof(""));
	printf("%d\n", sizeof("a\n"));
	exit(0);
}
