/*
 * cgxlate.c: code of translators. The input is evaluated once, into a register that the member's
 * definition reads; one that is a constant or a variable is read where it is used.
 */
#include "dlang/codegen/codegen.h"
#include "dlang/run/vm.h"
#include "dlang/parse/xlate.h"

static void bind(struct difob *b, struct binding *bound, const struct xlator *x, struct node *value)
{
	bound->ident = x->input;
	bound->value = value;
	bound->reg = 0;
	if (!cg_is_simple(value)) {
		cg_node(b, value);
		bound->reg = value->reg;
	}
	bound->outer = b->bindings;
	b->bindings = bound;
}

static void unbind(struct difob *b, const struct binding *bound)
{
	b->bindings = bound->outer;
	if (bound->reg)
		difob_free(b, bound->reg);
}

void cg_input(struct difob *b, struct node *n)
{
	const struct binding *const innermost = b->bindings, *bound = innermost;

	while (bound->ident != n->ident)
		bound = bound->outer;
	if (bound->reg) {
		n->reg = difob_reg(b);
		difob_emit(b, DIF_FMT(DIF_OP_MOV, bound->reg, 0, n->reg));
		return;
	}
	b->bindings = bound->outer; /* the value may be the input of the translator around */
	cg_node(b, bound->value);
	n->reg = bound->value->reg;
	b->bindings = innermost;
}

void cg_xmember(struct difob *b, struct node *n)
{
	struct binding bound;

	bind(b, &bound, n->xlator, n->left);
	cg_node(b, n->right);
	n->reg = n->right->reg;
	cg_cast(b, n->reg, n->right, n->type);
	unbind(b, &bound);
}

/* reg: the address of a new, empty structure of this type. */
static void cg_new(struct difob *b, const struct type *t, int reg)
{
	difob_setx(b, type_bytes(b->cc, t), reg);
	difob_emit(b, DIF_FMT(DIF_OP_ALLOCS, reg, 0, reg));
}

static void cg_store_member(struct difob *b, const struct type *t, const struct xlate_member *m,
			    int base)
{
	struct node whole = {.type = t};
	struct node *value = node_copy(b->cc->arena, m->expr);
	struct node to = {.kind = NODE_OP2, .op = OP_DOT, .left = &whole, .line = m->line};
	unsigned shift;
	int address;
	struct type_member tm;

	type_member(t, m->name, &tm);
	to.type = tm.type;
	to.bits = tm.bits;
	to.is_bitfield = tm.bits != 0;
	to.bit_offset = tm.bit_offset;
	cg_node(b, value);
	cg_cast(b, value->reg, value, to.type);
	address = difob_reg(b);
	difob_setx(b, member_offset(&to, &shift), address);
	difob_emit(b, DIF_FMT(DIF_OP_ADD, base, address, address));
	if (type_is_string(value->type) && type_is_byref(to.type))
		cg_store_string(b, &to, value->reg, address);
	else
		cg_store_memory(b, &to, value->reg, address);
	difob_free(b, address);
	difob_free(b, value->reg);
}

void cg_whole(struct difob *b, struct node *n)
{
	const struct type *t = type_resolve(n->type);
	struct binding bound;

	n->reg = difob_reg(b);
	cg_new(b, t, n->reg);
	bind(b, &bound, n->xlator, n->right);
	for (const struct xlate_member *m = n->xlator->members; m; m = m->next)
		cg_store_member(b, t, m, n->reg);
	unbind(b, &bound);
}
