#include "dlang/parse/ast.h"

/*
 * Every description of a clause is checked on its own (args[] may have other types), and a body may
 * be checked twice, so the checker works on copies of what the parser made.
 */
static struct node *copy_one(struct arena *a, const struct node *n)
{
	struct node *c = arena_memdup(a, n, sizeof(*n));

	c->next = NULL;
	if (n->left)
		c->left = node_copy(a, n->left);
	if (n->right)
		c->right = node_copy(a, n->right);
	if (n->expr)
		c->expr = node_copy(a, n->expr);
	if (n->args)
		c->args = node_copy(a, n->args);
	if (n->body)
		c->body = node_copy(a, n->body);
	if (n->orelse)
		c->orelse = node_copy(a, n->orelse);
	return c;
}

bool node_fits(const struct node *list, unsigned *budget)
{
	for (; list; list = list->next) {
		if (*budget == 0)
			return false;
		--*budget;
		if (!node_fits(list->left, budget) || !node_fits(list->right, budget) ||
		    !node_fits(list->expr, budget) || !node_fits(list->args, budget) ||
		    !node_fits(list->body, budget) || !node_fits(list->orelse, budget))
			return false;
	}
	return true;
}

struct node *node_copy(struct arena *a, const struct node *list)
{
	struct node *head = NULL, **tail = &head;

	for (; list; list = list->next) {
		*tail = copy_one(a, list);
		tail = &(*tail)->next;
	}
	return head;
}
