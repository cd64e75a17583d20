/*
 * Specifiers separated by commas share predicate and body; a probe named twice runs it twice.
 *
 * opts: -q
 */

BEGIN, dtrace:::BEGIN
{
	n++;
	printf("%d\n", n);
}
BEGIN
{
	exit(0);
}
