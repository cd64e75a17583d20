/*
 * The constant '\'' is the two characters backslash and quote.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", '\'');
	exit(0);
}
