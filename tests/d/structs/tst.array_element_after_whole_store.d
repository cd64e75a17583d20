/*
 * A member of an array element can be assigned after a whole struct was stored there.
 *
 * opts: -q
 */

struct s { int m; int n; };
struct s g;
struct s a[int];
BEGIN
{
	g.m = 1;
	g.n = 2;
	a[5] = g;
	a[5].m = 7;
	printf("%d %d %d\n", a[5].m, a[5].n, g.m);
	exit(0);
}
