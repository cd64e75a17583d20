/*
 * alloca gives memory that can be written and read through pointers.
 *
 * opts: -q
 */

int *p;
BEGIN
{
	p = alloca(16);
	*p = 7;
	p[1] = 8;
	*(p + 2) = 9;
	printf("%d\n", *p);
	printf("%d\n", p[0] + p[1] + p[2]);
	p[1]++;
	printf("%d\n", *(p + 1));
	exit(0);
}
