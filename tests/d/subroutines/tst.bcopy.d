/*
 * bcopy copies into scratch memory.
 *
 * opts: -q
 */

char *p;
char *q;
BEGIN
{
	p = alloca(8);
	q = alloca(8);
	p[0] = 'h';
	p[1] = 'i';
	p[2] = 0;
	bcopy(p, q, 3);
	printf("%s\n", stringof(q));
	printf("%d\n", q[1]);
	exit(0);
}
