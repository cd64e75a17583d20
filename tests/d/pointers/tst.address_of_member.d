/*
 * & gives a pointer for members reached through a pointer and elements in memory.
 *
 * opts: -q
 */

struct s { int a; int b; };
struct s *p;
BEGIN
{
	p = (struct s *)1000;
	printf("%d\n", (long)&p->b);
	printf("%d\n", (long)&p[2]);
	printf("%d\n", (long)&p[1].b);
	exit(0);
}
