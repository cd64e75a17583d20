/*
 * A whole structure may be the input; its members are read by `.`.
 *
 * opts: -q
 */

struct in { int v; char c; };
struct o { int a; };
translator struct o < struct in i > { a = i.v + i.c; };

struct in g;

BEGIN
{
	g.v = 40;
	g.c = 2;
	printf("%d\n", xlate <struct o>(g).a);
	exit(0);
}
