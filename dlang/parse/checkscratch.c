/*
 * checkscratch.c: where the pointer in a variable comes from. Scratch memory ends with its clause,
 * all else a pointer leads to does not: a variable that was given one kind may not be given the
 * other (D_ALLOCA_INCOMPAT).
 */
#include "dlang/parse/check.h"

#include "dlang/run/subrs.h"

static enum pointer_source source_of(const struct node *);

static enum pointer_source of_call(const struct node *n)
{
	const struct subr *row = n->ident ? n->ident->row : NULL;

	return row == &subrs[SUBR_ALLOCA] || row == &subrs[SUBR_COPYIN] ? POINTER_SCRATCH
									: POINTER_UNKNOWN;
}

/* A cast makes a pointer of a number: an argument of the probe, a constant, but for NULL. */
static enum pointer_source of_number(const struct node *n)
{
	bool is_known = n->kind == NODE_VAR && n->ident && n->ident->builtin;

	return is_known || (n->kind == NODE_INT && n->value) ? POINTER_ELSEWHERE : POINTER_UNKNOWN;
}

static enum pointer_source of_two(const struct node *n)
{
	switch (n->op) {
	case OP_CAST:
		return type_is_pointer(n->right->type) ? source_of(n->right) : of_number(n->right);
	case OP_ADD:
	case OP_SUB:
		return source_of(type_is_pointer(n->left->type) ? n->left : n->right);
	case OP_COMMA:
	case OP_ASGN:
		return source_of(n->right);
	default:
		return POINTER_UNKNOWN;
	}
}

static enum pointer_source source_of(const struct node *n)
{
	if (node_is_dynamic(n) || !n->type || !type_is_pointer(n->type))
		return POINTER_UNKNOWN;
	switch (n->kind) {
	case NODE_FUNC:
		return of_call(n);
	case NODE_SYM:
		return POINTER_ELSEWHERE;
	case NODE_VAR:
		return n->ident && !n->ident->builtin ? n->ident->source : POINTER_ELSEWHERE;
	case NODE_OP2:
		return of_two(n);
	case NODE_OP3:
		return MAX(source_of(n->left), source_of(n->right));
	default:
		return POINTER_UNKNOWN;
	}
}

void check_pointer_source(struct compiler *cc, struct ident *id, const struct node *value)
{
	enum pointer_source from = source_of(value);

	if (from != POINTER_UNKNOWN && id->source != POINTER_UNKNOWN && id->source != from)
		compile_fail(cc, D_ALLOCA_INCOMPAT, cc->desc_line,
			     "%s: cannot reuse the same identifier for both alloca and non-alloca "
			     "allocations",
			     id->name);
	if (from != POINTER_UNKNOWN)
		id->source = from;
}
