/*
 * p + n scales by the size of the referenced type; p - q divides by it.
 *
 * opts: -q
 */

int *p;
int *q;
char *c;
BEGIN
{
	p = (int *)1000;
	q = p + 3;
	printf("%d\n", (long)q);
	printf("%d\n", q - p);
	printf("%d\n", (long)(q - 1));
	printf("%d\n", sizeof(q - p));
	c = (char *)1000;
	printf("%d\n", (long)(c + 3));
	p++;
	printf("%d\n", (long)p);
	p -= 2;
	printf("%d\n", (long)p);
	exit(0);
}
