/*
 * A member of a global or clause-local struct is assigned in place.
 *
 * opts: -q
 */

struct s { int a; char b; };
struct s g;
this struct s t;
BEGIN
{
	g.a = 5;
	g.b = 'x';
	g.a++;
	this->t.a = 7;
	printf("%d %c %d\n", g.a, g.b, this->t.a);
	exit(0);
}
