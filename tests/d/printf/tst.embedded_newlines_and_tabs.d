/*
 * Escapes in the format come out as they are.
 *
 * opts: -q
 */

BEGIN
{
	printf("a\tb\\n%s\n", "c%d");
	exit(0);
}
