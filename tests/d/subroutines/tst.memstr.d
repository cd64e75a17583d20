/*
 * memstr copies bytes as a string, inner NULs replaced by a character.
 *
 * opts: -q
 */

char *p;
BEGIN
{
	p = alloca(8);
	bcopy("a", p, 2);
	bcopy("b", p + 2, 2);
	printf("%s\n", memstr(p, '-', 4));
	exit(0);
}
