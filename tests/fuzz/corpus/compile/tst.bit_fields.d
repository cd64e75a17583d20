/*
 * Bit-fields hold as many bits as declared, signed ones with their sign.
 *
 * opts: -q
 */

struct s { int a:3; unsigned b:4; int :2; unsigned c:1; };
struct s v;
BEGIN
{
	v.a = 1;
	v.a += 3;
	printf("%d\n", v.a);
	v.b = 0;
	v.b--;
	printf("%d\n", v.b);
	v.c = 3;
	printf("%d\n", v.c);
	printf("%d\n", v.a);
	printf("%d\n", sizeof(struct s));
	exit(0);
}
