/*
 * memstr copies bytes as a string, inner NULs replaced by a character.
 *
 * opts: -q
 */

char *p;
BEGIN
{
	p = alloca(8);
	p[0] = 'a';
	p[1] = 0;
	p[2] = 'b';
	p[3] = 0;
	printf("%s\n", memstr(p, '-', 3));
	exit(0);
}
