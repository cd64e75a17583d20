/*
 * cgkeep.c: what is read and then written, a[i++]++ or p[f()] += 2, is found twice. Parts of it
 * that do something are evaluated once, and their values kept in hidden clause-local variables
 * between.
 */
#include "dlang/codegen/codegen.h"
#include "dlang/run/vm.h"

static bool does_something(const struct node *n)
{
	if (!n)
		return false;
	if (n->kind == NODE_FUNC || node_assigns(n))
		return true;
	for (const struct node *a = n->args; a; a = a->next)
		if (does_something(a))
			return true;
	return does_something(n->left) || does_something(n->right) || does_something(n->expr) ||
	       does_something(n->body) || does_something(n->orelse);
}

static void keep(struct difob *b, struct node *n, bool on)
{
	if (!does_something(n))
		return;
	n->is_kept = on;
	n->kept = on ? ++b->nkept : 0;
	n->is_evaluated = false;
}

/* The parts of an expression that stands left of a =. */
static void keep_parts(struct difob *b, struct node *n, bool on)
{
	switch (n->kind) {
	case NODE_VAR:
		for (struct node *a = n->args; a; a = a->next)
			keep(b, a, on);
		break;
	case NODE_OP1:
		keep(b, n->left, on);
		break;
	case NODE_OP2:
		if (n->op == OP_INDEX)
			keep(b, n->right, on);
		if (n->op == OP_PTR || type_is_pointer(n->left->type))
			keep(b, n->left, on);
		else
			keep_parts(b, n->left, on);
		break;
	default:
		break;
	}
}

void cg_keep(struct difob *b, struct node *target)
{
	keep_parts(b, target, true);
}

void cg_keep_no_more(struct difob *b, struct node *target)
{
	keep_parts(b, target, false);
}

static void move(struct difob *b, unsigned op, unsigned nth, int reg)
{
	struct idents *ids = b->cc->idents;
	const char *name = arena_printf(b->cc->arena, "%%k%u", nth);
	const struct ident *id = ident_find(ids, SCOPE_THIS, name);

	if (!id)
		id = ident_add(ids, SCOPE_THIS, name, IDENT_SCALAR, b->cc->types->t_int64);
	if (!id)
		fail_no_ids(b->cc, b->cc->line);
	difob_use(b, id, op == DIF_OP_STLS);
	difob_emit(b, DIF_INDEX(op, id->id, reg));
}

void cg_kept(struct difob *b, struct node *n)
{
	if (n->is_evaluated) {
		n->reg = difob_reg(b);
		move(b, DIF_OP_LDLS, n->kept, n->reg);
		return;
	}
	n->is_kept = false;
	cg_node(b, n);
	n->is_kept = true;
	move(b, DIF_OP_STLS, n->kept, n->reg);
	n->is_evaluated = true;
}
