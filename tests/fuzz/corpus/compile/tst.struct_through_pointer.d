/*
 * Members are stored and read through a pointer into scratch memory.
 *
 * opts: -q
 */

struct s { char c; int i; long l; };
struct s *p;
BEGIN
{
	p = alloca(sizeof(struct s));
	p->c = 'x';
	p->i = -5;
	p->l = 1L << 40;
	printf("%c %d %d\n", p->c, p->i, p->l);
	printf("%d\n", (*p).i);
	exit(0);
}
