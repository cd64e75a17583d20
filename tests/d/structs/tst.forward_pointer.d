/*
 * A pointer to a struct declared later, or never, may be declared.
 *
 * opts: -q
 */

struct later;
struct later *p;
struct never *q;
struct node { struct node *next; int v; };
struct node *n;
BEGIN
{
	n = alloca(sizeof(struct node));
	n->next = n;
	n->v = 3;
	printf("%d\n", n->next->next->v);
	printf("%d\n", p == NULL && q == NULL);
	exit(0);
}
