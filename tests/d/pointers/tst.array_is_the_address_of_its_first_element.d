/*
 * An array that is assigned to a pointer is the address of its first element.
 *
 * opts: -q
 */

int a[5], m[int][3];
struct { int pad; int b[4]; } s;
int *p;
void *v;

BEGIN
{
	a[0] = 7;
	a[1] = 8;
	p = a;
	printf("%d %d %d %d\n", *p, p[1], p == &a[0], p + 1 == &a[1]);
	p[2] = 9;
	v = a;
	printf("%d %d\n", a[2], v == p);
	s.b[2] = 3;
	p = s.b;
	printf("%d\n", p[2]);
	m[1][2] = 4;
	p = m[1];
	printf("%d\n", p[2]);
	exit(0);
}
