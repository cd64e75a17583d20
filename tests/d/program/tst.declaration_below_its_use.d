/*
 * A whole text is parsed before its clauses are compiled: a declaration may stand below.
 *
 * opts: -q
 */

BEGIN
{
	x = 'a';
	printf("%d\n", sizeof(x));
	printf("%d\n", x);
	exit(0);
}
char x;
