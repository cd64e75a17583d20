/*
 * An inline may stand for a translation; it takes parameters like others.
 *
 * opts: -q
 */

struct o { int a; int b; };
translator struct o < int p > { a = p + 1; b = p * 2; };
inline struct o *five = xlate <struct o *>(5);
inline struct o of[int n] = xlate <struct o>(n);

BEGIN
{
	printf("%d %d %d\n", five->a, of[20].b, of[pid * 0 + 1].a);
	exit(0);
}
