/*
 * Structs nest, with arrays of structs inside.
 *
 * opts: -q
 */

struct in { int a; int b; };
struct out { char c; struct in i[2]; };
struct out o;
BEGIN
{
	o.i[1].b = 42;
	printf("%d\n", o.i[1].b);
	printf("%d\n", o.i[0].b);
	printf("%d\n", sizeof(struct out));
	exit(0);
}
