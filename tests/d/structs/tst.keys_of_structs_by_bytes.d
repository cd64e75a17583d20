/*
 * Struct keys compare by their bytes.
 *
 * opts: -q
 */

struct s { int a; int b; };
struct s k;
BEGIN
{
	k.a = 1;
	k.b = 2;
	x[k] = 10;
	k.b = 3;
	x[k] = 20;
	printf("%d\n", x[k]);
	k.b = 2;
	printf("%d\n", x[k]);
	exit(0);
}
