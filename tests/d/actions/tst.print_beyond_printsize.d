/*
 * Of a large value print() takes printsize bytes; the first member beyond is three dots.
 *
 * opts: -q -x printsize=24
 */

struct s { int a, b, c; char t[4]; int d; struct { int x[3]; } e; int f; } v;

BEGIN
{
	this->p = (struct s *)alloca(sizeof(struct s));
	v.a = 1;
	v.b = 2;
	v.t[0] = 'x';
	v.d = 4;
	v.e.x[0] = 5;
	v.e.x[1] = 6;
	v.f = 7;
	*this->p = v;
	print(this->p);
	setopt("printsize", "8");
	print(this->p);
	setopt("printsize", "2");
	print(this->p);
	exit(0);
}
