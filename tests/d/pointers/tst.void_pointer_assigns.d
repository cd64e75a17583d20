/*
 * A void pointer is compatible with every pointer.
 *
 * opts: -q
 */

void *v;
int *p;
BEGIN
{
	p = (int *)16;
	v = p;
	p = v;
	printf("%d\n", (long)p);
	p = 0;
	printf("%d\n", (long)p);
	exit(0);
}
