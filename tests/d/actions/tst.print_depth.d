/*
 * What is nested more than ten times is three dots.
 *
 * opts: -q
 */

struct l0 { int v; int w; };
struct l1 { int v; struct l0 n; };
struct l2 { int v; struct l1 n; };
struct l3 { int v; struct l2 n; };
struct l4 { int v; struct l3 n; };
struct l5 { int v; struct l4 n; };
struct l6 { int v; struct l5 n; };
struct l7 { int v; struct l6 n; };
struct l8 { int v; struct l7 n; };
struct l9 { int v; struct l8 n; };
struct l10 { int v; struct l9 n; };
struct l11 { int v; struct l10 n; };
struct l12 { int v; struct l11 n; };

BEGIN
{
	this->p = (struct l12 *)alloca(sizeof(struct l12));
	this->p->v = 1;
	this->p->n.n.n.n.n.n.n.n.n.n.n.n.w = 2;
	print(this->p);
	exit(0);
}
