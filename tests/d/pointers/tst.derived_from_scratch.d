/*
 * What is made of a scratch pointer is one: by casts, sums, & of elements and members, conditionals.
 *
 * opts: -q
 */

struct s { int a; char b[8]; };

BEGIN
{
	p = (char *)alloca(32);
	bcopy("ab", &p[1], 2);
	q = p + 4;
	bcopy("cd", q, 2);
	this->n = (uintptr_t)p + 8;
	bcopy("ef", (void *)this->n, 2);
	s = (struct s *)p + 1;
	bcopy("gh", &s->a, 2);
	bcopy("ij", s->b, 2);
	bcopy("kl", pid ? &s->b[4] : NULL, 2);
	tracemem(p, 32);
	exit(0);
}
