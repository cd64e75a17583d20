/*
 * bcopy copies into scratch memory.
 *
 * opts: -q
 */

char *p;
BEGIN
{
	p = alloca(8);
	bcopy("hello", p, 6);
	printf("%s\n", stringof(p));
	printf("%d\n", p[4]);
	exit(0);
}
