/*
 * The layout is that of the x86-64 ABI.
 *
 * opts: -q
 */

struct s { char a; int b; char c; long d; short e; };
union u { char a; long b; int c[3]; };
BEGIN
{
	printf("%d\n", sizeof(struct s));
	printf("%d\n", offsetof(struct s, a));
	printf("%d\n", offsetof(struct s, b));
	printf("%d\n", offsetof(struct s, c));
	printf("%d\n", offsetof(struct s, d));
	printf("%d\n", offsetof(struct s, e));
	printf("%d\n", sizeof(union u));
	printf("%d\n", offsetof(union u, c));
	exit(0);
}
