/*
 * checkscratch.c: where the pointer in a variable comes from. Scratch memory ends with its clause,
 * all else a pointer leads to does not: a variable that was given one kind may not be given the
 * other (D_ALLOCA_INCOMPAT), and what subroutines write to is scratch memory.
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

/* A cast makes a pointer of a number: an argument of the probe, a constant, or one that was a
 * pointer before. */
static enum pointer_source of_number(const struct node *n)
{
	bool is_known = n->kind == NODE_VAR && n->ident && n->ident->builtin;

	return is_known || (n->kind == NODE_INT && n->value) ? POINTER_ELSEWHERE : source_of(n);
}

static bool is_null(const struct node *n)
{
	while (n->kind == NODE_INLINE || (n->kind == NODE_OP2 && n->op == OP_CAST))
		n = n->kind == NODE_INLINE ? n->left : n->right;
	return n->kind == NODE_INT && !n->value;
}

/* Either may be the value; what is not scratch memory and not NULL does not go with it. */
static enum pointer_source of_branches(const struct node *a, const struct node *b)
{
	enum pointer_source l = source_of(a), r = source_of(b);

	if (l == POINTER_MIXED || r == POINTER_MIXED)
		return POINTER_MIXED;
	if (l == r || is_null(b))
		return l;
	if (is_null(a))
		return r;
	return l == POINTER_SCRATCH || r == POINTER_SCRATCH ? POINTER_MIXED : MAX(l, r);
}

/* Of members and elements those that are arrays or structures lie where their base leads to. */
static enum pointer_source of_part(const struct node *n)
{
	return type_is_byref(n->type) && !type_is_string(n->type) ? source_of(n->left)
								  : POINTER_UNKNOWN;
}

static enum pointer_source of_one(const struct node *n)
{
	const struct node *e = n->left;

	switch (n->op) {
	case OP_ADDROF:
		if (e->kind == NODE_OP1 && e->op == OP_DEREF)
			return source_of(e->left);
		return e->kind == NODE_OP2 &&
				       (e->op == OP_INDEX || e->op == OP_PTR || e->op == OP_DOT)
			       ? source_of(e->left)
			       : POINTER_UNKNOWN;
	case OP_DEREF:
		return of_part(n);
	case OP_PREINC:
	case OP_PREDEC:
	case OP_POSTINC:
	case OP_POSTDEC:
		return source_of(e);
	default:
		return POINTER_UNKNOWN;
	}
}

static enum pointer_source of_sum(const struct node *n)
{
	enum pointer_source l = source_of(n->left), r = source_of(n->right);

	if (type_is_pointer(n->left->type))
		return l;
	return type_is_pointer(n->right->type) ? r : MAX(l, r);
}

static enum pointer_source of_two(const struct node *n)
{
	switch (n->op) {
	case OP_CAST:
		return type_is_pointer(n->right->type) ? source_of(n->right) : of_number(n->right);
	case OP_ADD:
	case OP_SUB:
		return of_sum(n);
	case OP_COMMA:
	case OP_ASGN:
		return source_of(n->right);
	case OP_ADD_EQ:
	case OP_SUB_EQ:
		return source_of(n->left);
	case OP_INDEX:
	case OP_PTR:
	case OP_DOT:
		return of_part(n);
	default:
		return POINTER_UNKNOWN;
	}
}

static enum pointer_source of_variable(const struct node *n)
{
	if (n->ident && !n->ident->builtin)
		return n->ident->source;
	return type_is_pointer(n->type) ? POINTER_ELSEWHERE : POINTER_UNKNOWN;
}

static enum pointer_source source_of(const struct node *n)
{
	if (node_is_dynamic(n) || !n->type)
		return POINTER_UNKNOWN;
	switch (n->kind) {
	case NODE_FUNC:
		return of_call(n);
	case NODE_SYM:
		return POINTER_ELSEWHERE;
	case NODE_VAR:
		return of_variable(n);
	case NODE_INLINE:
		return n->left ? source_of(n->left) : POINTER_UNKNOWN;
	case NODE_OP1:
		return of_one(n);
	case NODE_OP2:
		return of_two(n);
	case NODE_OP3:
		return of_branches(n->left, n->right);
	default:
		return POINTER_UNKNOWN;
	}
}

void check_pointer_source(struct compiler *cc, const struct node *n)
{
	struct ident *id = n->left->ident;
	enum pointer_source from = source_of(n->right);

	if (type_is_string(n->left->type))
		return;
	if (from == POINTER_MIXED)
		compile_fail(cc, D_ALLOCA_INCOMPAT, n->line,
			     "ternary conditional with alloca and non-alloca branches cannot be "
			     "assigned to a variable");
	/* numbers only carry scratch memory along: any other may follow */
	if (!type_is_pointer(n->left->type) && from != POINTER_SCRATCH)
		return;
	if (from != POINTER_UNKNOWN && id->source != POINTER_UNKNOWN && id->source != from)
		compile_fail(cc, D_ALLOCA_INCOMPAT, cc->desc_line,
			     "%s: cannot reuse the same identifier for both alloca and non-alloca "
			     "allocations",
			     id->name);
	if (from != POINTER_UNKNOWN)
		id->source = from;
}

bool check_is_scratch(const struct node *n)
{
	return source_of(n) == POINTER_SCRATCH;
}
