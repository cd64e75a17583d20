/*
 * The first store to a member makes the array element, or the thread-local structure, of zeros.
 *
 * opts: -q
 */

struct { int i; } c[int];
struct inner { int b[3]; string s; };
struct outer { char a; struct inner n; long f : 5; };
struct outer d[string, int];
self struct outer e, g[int];
self int numbers[5];
this struct outer h;

BEGIN
{
	c[1].i = 5;
	c[2].i++;
	--c[3].i;
	c[4].i += 7;
	printf("%d %d %d %d\n", c[1].i, c[2].i, c[3].i, c[4].i);
	d["x", 1].n.b[2] = 9;
	d["x", 1].n.s = "abc";
	d["x", 1].f = -3;
	printf("%d %d %d %s %d\n", d["x", 1].a, d["x", 1].n.b[1], d["x", 1].n.b[2],
	       d["x", 1].n.s, d["x", 1].f);
	self->e.n.b[0] = 4;
	self->e.a--;
	printf("%d %d %d [%s]\n", self->e.a, self->e.n.b[0], self->e.n.b[2], self->e.n.s);
	self->g[3].f |= 6;
	self->numbers[2] = 5;
	this->h.a = 8;
	printf("%d %d %d %d\n", self->g[3].f, self->numbers[2], self->numbers[4], this->h.a);
	d["y", 2] = self->e;
	d["y", 2].a++;
	printf("%d %d\n", d["y", 2].a, self->e.a);
	exit(0);
}
