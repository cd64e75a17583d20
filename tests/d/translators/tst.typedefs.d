/*
 * The lookup ignores const and volatile and resolves typedefs, exact matches first.
 *
 * opts: -q
 */

struct in { int v; };
typedef struct in in_t;
typedef struct o { int a; } o_t;
typedef int number_t;
translator o_t < in_t *p > { a = p->v; };
translator o_t < number_t n > { a = 2 * n; };

const in_t *cp;

BEGIN
{
	p = (struct in *)alloca(sizeof(struct in));
	p->v = 42;
	cp = p;
	printf("%d %d %d\n", xlate <o_t>(p).a, xlate <struct o *>(cp)->a, xlate <o_t *>(21)->a);
	exit(0);
}
