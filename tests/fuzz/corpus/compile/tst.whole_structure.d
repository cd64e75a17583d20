/*
 * Assigning xlate <OUT>(e) copies all members with a conversion; the others are zero.
 *
 * opts: -q
 */

struct in { int x; };
struct o { int a:3; int b:5; long none; string s; char name[8]; struct in in; };
translator struct in < int p > { x = p; };
translator struct o < int p > {
	a = p;
	b = -p;
	s = "a string";
	name = "characters";
	in = xlate <struct in>(p * 10);
};

BEGIN
{
	this->n = pid * 0 + 3;
	v = xlate <struct o>(this->n);
	printf("%d %d %d [%s] [%s] %d\n", v.a, v.b, v.none, v.s, stringof(v.name), v.in.x);
	a[1] = v;
	printf("%d %s\n", a[1].b, a[1].s);
	exit(0);
}
