/*
 * Structs of one type are copied whole.
 *
 * opts: -q
 */

struct s { int a; int b[3]; };
struct s x;
struct s y;
BEGIN
{
	x.a = 1;
	x.b[2] = 9;
	y = x;
	x.a = 2;
	printf("%d %d %d\n", y.a, y.b[2], x.a);
	exit(0);
}
