/*
 * checkop.c: operators: what their operands must be (docs/spec/d-language.md §8) and what type
 * comes out.
 */
#include "dlang/parse/check.h"

#include <assert.h>

#include "dlang/parse/hint.h"
#include "dlang/parse/xlate.h"

static void fail_incompatible(struct compiler *cc, const struct node *n)
{
	char l[TYPE_TEXT], r[TYPE_TEXT];

	compile_fail(cc, D_OP_INCOMPAT, n->line,
		     "operands have incompatible types: \"%s\" %s \"%s\"",
		     node_type_text(n->left, l), op_text(n->op), node_type_text(n->right, r));
}

static bool is_int(const struct node *n)
{
	return type_is_integer(n->type);
}

static bool is_pointer(const struct node *n)
{
	return type_is_pointer(n->type);
}

static bool is_array(const struct node *n)
{
	return type_resolve(n->type)->kind == TYPE_ARRAY;
}

static bool is_scalar(const struct node *n)
{
	return type_is_scalar(n->type);
}

/* Can it be counted in elements: a pointer to, or an array of, something of known size? */
static bool has_stride(struct compiler *cc, const struct node *n)
{
	const struct type *t = type_resolve(n->type);

	if (type_is_string(t))
		return true;
	return (t->kind == TYPE_POINTER || t->kind == TYPE_ARRAY) &&
	       type_resolve(complete_type(cc, t->ref))->size;
}

/* ---- assignment ---- */

static void require_writable(struct compiler *cc, const struct node *n, const struct node *target)
{
	if (!target->is_lval)
		compile_fail(cc, D_OP_LVAL, n->line,
			     "operator %s requires modifiable lvalue as an operand",
			     op_text(n->op));
	if (!target->is_writable)
		compile_fail(cc, D_OP_WRITE, n->line,
			     "operator %s can only be applied to a writable variable",
			     op_text(n->op));
}

static void refuse_arrays(struct compiler *cc, const struct node *n, const struct node *operand)
{
	char text[TYPE_TEXT];

	if (is_array(operand) || type_is_function(operand->type))
		compile_fail(cc, D_OP_ARRFUN, n->line,
			     "operator %s may not be applied to operand of type \"%s\"",
			     op_text(n->op), node_type_text(operand, text));
}

/* The first assignment gives a variable its type. */
static void assign_type(struct compiler *cc, struct node *n)
{
	const struct type *t = n->right->type;

	if (t->kind == TYPE_VOID)
		n->left->type = t; /* "void" = "void" */
	if (t->kind == TYPE_VOID || node_is_dynamic(n->right))
		fail_incompatible(cc, n);
	refuse_arrays(cc, n, n->right);
	set_variable_type(n->left->ident, t);
	n->left->type = n->left->ident->type;
}

static void check_operand_right(struct compiler *cc, struct node *n)
{
	struct node *e = n->left->type ? check_enumerator(cc, n->right, n->left->type) : NULL;

	n->right = e ? e : check_expr(cc, n->right);
	if (n->op == OP_ASGN)
		xlate_whole(n->right);
}

/* 0 assigned to what is made by assigning, of whatever type: it is freed. */
static bool is_freed(const struct node *n)
{
	const struct node *l = n->left;

	return node_is_zero(n->right) && l->kind == NODE_VAR && !l->ident->builtin &&
	       (l->ident->kind == IDENT_ARRAY || l->ident->scope == SCOPE_SELF);
}

static struct node *check_assign(struct compiler *cc, struct node *n)
{
	if (n->left->kind == NODE_AGG) {
		hint_no_aggregation(cc, n->left);
		compile_fail(cc, D_AGG_FUNC, n->line,
			     "@%s must be assigned the result of an aggregating function",
			     n->left->string);
	}
	n->left = check_target(cc, n->left);
	check_operand_right(cc, n);
	if (!n->left->type) {
		assign_type(cc, n);
	} else if (!is_freed(n)) {
		require_writable(cc, n, n->left);
		refuse_arrays(cc, n, n->left);
		if (!check_fits(n->left->type, n->right))
			fail_incompatible(cc, n);
	}
	if (n->left->kind == NODE_VAR)
		check_pointer_source(cc, n);
	n->type = n->left->type;
	n->is_userland = n->right->is_userland;
	return n;
}

static void require_known(struct compiler *cc, struct node *n)
{
	enum ident_scope scope;
	struct node *left = n->left, *name;
	const struct ident *id;

	if (left->kind == NODE_AGG) {
		id = ident_find(cc->idents, SCOPE_AGG, left->string);
		if (id && id->row)
			compile_fail(cc, D_AGG_FUNC, n->line,
				     "@%s must be assigned the result of an aggregating function",
				     left->string);
		fail_unset(cc, left->line, "@", left->string);
	}
	name = variable_name(left, &scope);
	if (!name || scope != SCOPE_GLOBAL)
		return;
	id = ident_find(cc->idents, scope, name->string);
	if (!id)
		fail_unset(cc, name->line, "", name->string);
}

static struct node *check_assign_op(struct compiler *cc, struct node *n)
{
	bool is_sum = n->op == OP_ADD_EQ || n->op == OP_SUB_EQ;
	bool is_arith = is_sum || n->op == OP_MUL_EQ || n->op == OP_DIV_EQ;

	require_known(cc, n);
	n->left = check_expr(cc, n->left);
	check_operand_right(cc, n);
	if (is_sum && (is_pointer(n->left) || is_pointer(n->right))) {
		const struct node *p = is_pointer(n->left) ? n->left : n->right;

		if (!has_stride(cc, p))
			compile_fail(cc, D_OP_VFPTR, n->line,
				     "operator %s requires left-hand scalar operand of known size",
				     op_text(n->op));
		if (p == n->right || !is_int(n->right))
			fail_incompatible(cc, n);
	} else if (!is_int(n->left) || !is_int(n->right)) {
		if (is_sum)
			fail_incompatible(cc, n);
		compile_fail(cc, is_arith ? D_OP_ARITH : D_OP_INT, n->line,
			     "operator %s requires operands of %s type", op_text(n->op),
			     is_arith ? "arithmetic" : "integral");
	}
	require_writable(cc, n, n->left);
	if ((n->op == OP_DIV_EQ || n->op == OP_MOD_EQ) && node_is_zero(n->right))
		compile_fail_bare(cc, D_DIV_ZERO, n->line, "expression contains division by zero");
	n->type = n->left->type;
	return n;
}

/* A variable that nobody has given a type, an element of an array too, is an int64_t here. */
static struct node *check_operand(struct compiler *cc, struct node *n)
{
	n = check_target(cc, n);
	if (!n->type) {
		set_variable_type(n->ident, cc->types->t_int64);
		n->type = n->ident->type;
	}
	return n;
}

static struct node *check_step(struct compiler *cc, struct node *n)
{
	n->left = check_operand(cc, n->left);
	if (node_is_dynamic(n->left) || !is_scalar(n->left))
		compile_fail(cc, D_OP_SCALAR, n->line,
			     "operator %s requires operand of scalar type", op_text(n->op));
	if (is_pointer(n->left) && !has_stride(cc, n->left))
		compile_fail(cc, D_OP_VFPTR, n->line,
			     "operator %s requires an operand of known size", op_text(n->op));
	require_writable(cc, n, n->left);
	n->type = n->left->type;
	return n;
}

/* ---- unary ---- */

static void fail_forward(struct compiler *cc, const struct node *n, const struct type *t)
{
	char text[TYPE_TEXT];

	compile_fail(cc, D_OP_INCOMPLETE, n->line,
		     "operator %s cannot be applied to a forward declaration: no %s definition is "
		     "available",
		     op_text(n->op), type_name(t, text, sizeof(text)));
}

static struct node *check_deref(struct compiler *cc, struct node *n)
{
	const struct type *t = type_resolve(n->left->type), *ref;

	n->is_lval = true;
	n->is_writable = true;
	n->is_userland = n->left->is_userland || t->is_userland;
	if (type_is_string(t)) {
		n->is_writable = n->left->is_writable;
		n->type = cc->types->t_char;
		return n;
	}
	if (t->kind != TYPE_POINTER && t->kind != TYPE_ARRAY)
		compile_fail(cc, D_DEREF_NONPTR, n->line, "cannot dereference non-pointer type");
	ref = complete_type(cc, t->ref);
	if (ref->kind == TYPE_VOID)
		compile_fail(cc, D_DEREF_VOID, n->line, "cannot dereference pointer to void");
	if (ref->kind == TYPE_FUNCTION)
		compile_fail(cc, D_DEREF_FUNC, n->line, "cannot dereference pointer to function");
	if (ref->kind == TYPE_FORWARD)
		fail_forward(cc, n, ref);
	n->type = t->ref;
	note_userland(cc, n);
	return n;
}

static struct node *check_addrof(struct compiler *cc, struct node *n)
{
	const struct node *e = n->left;

	if (e->kind == NODE_VAR || node_is_dynamic(e))
		compile_fail(cc, D_ADDROF_VAR, n->line, "cannot take address of dynamic variable");
	if (!e->is_lval)
		compile_fail(cc, D_ADDROF_LVAL, n->line,
			     "unacceptable operand for unary & operator");
	if (e->is_bitfield)
		compile_fail(cc, D_ADDROF_BITFIELD, n->line, "cannot take address of bit-field");
	n->type = type_pointer(cc->types, e->type);
	if (e->is_userland)
		n->type = type_userland(cc->types, n->type);
	return n;
}

static struct node *check_sizeof(struct compiler *cc, struct node *n)
{
	const struct node *e = n->left;
	uint64_t size;

	if (e->is_bitfield)
		compile_fail(cc, D_SIZEOF_BITFIELD, n->line, "cannot apply sizeof to a bit-field");
	complete_type(cc, e->type);
	size = e->kind == NODE_STR ? e->length + 1 : type_bytes(cc, e->type);
	if (size == 0 || node_is_dynamic(e) || type_is_function(e->type))
		compile_fail(cc, D_SIZEOF_TYPE, n->line,
			     "cannot apply sizeof to an operand of unknown size");
	return make_int(cc, n, size, cc->types->t_ulong);
}

static struct node *check_stringof(struct compiler *cc, struct node *n)
{
	char text[TYPE_TEXT];

	if (node_is_dynamic(n->left) || (!is_scalar(n->left) && !type_is_strcompat(n->left->type)))
		compile_fail(cc, D_STRINGOF_TYPE, n->line,
			     "cannot apply stringof to a value of type %s",
			     node_type_text(n->left, text));
	n->type = cc->types->t_string;
	n->is_userland = n->left->is_userland || type_resolve(n->left->type)->is_userland;
	return n;
}

static void require_operand(struct compiler *cc, const struct node *n, bool ok, int tag,
			    const char *kind)
{
	if (!ok)
		compile_fail(cc, tag, n->line, "operator %s requires an operand of %s type",
			     op_text(n->op), kind);
}

struct node *check_op1(struct compiler *cc, struct node *n)
{
	if (n->op >= OP_PREINC && n->op <= OP_POSTDEC)
		return check_step(cc, n);
	if (n->op == OP_ADDROF)
		n->left = check_untyped_symbol(cc, n->left, cc->types->t_void);
	else if (n->op == OP_SIZEOF || n->op == OP_STRINGOF || n->op == OP_DEREF)
		n->left = n->left->kind == NODE_TYPE ? n->left : check_expr(cc, n->left);
	else
		n->left = check_operand(cc, n->left);
	switch (n->op) {
	case OP_DEREF:
		return check_deref(cc, n);
	case OP_ADDROF:
		return check_addrof(cc, n);
	case OP_SIZEOF:
		return check_sizeof(cc, n);
	case OP_STRINGOF:
		return check_stringof(cc, n);
	case OP_BNEG:
		require_operand(cc, n, is_int(n->left), D_OP_INT, "integral");
		n->type = int_type(cc, n->left->type);
		break;
	case OP_LNEG:
		require_operand(cc, n, !node_is_dynamic(n->left) && is_scalar(n->left), D_OP_SCALAR,
				"scalar");
		n->type = cc->types->t_int;
		break;
	default: /* OP_INEG, OP_IPOS */
		require_operand(cc, n, is_int(n->left), D_OP_ARITH, "arithmetic");
		n->type = int_type(cc, n->left->type);
		break;
	}
	return fold_op1(cc, n);
}

/* ---- binary ---- */

static void require_operands(struct compiler *cc, const struct node *n, bool ok, int tag,
			     const char *kind)
{
	if (!ok)
		compile_fail(cc, tag, n->line, "operator %s requires operands of %s type",
			     op_text(n->op), kind);
}

/* string + integer begins further in; so do pointers and arrays, in elements. */
static void check_sum(struct compiler *cc, struct node *n)
{
	struct node *l = n->left, *r = n->right, *p;

	if (node_is_dynamic(l) || node_is_dynamic(r))
		fail_incompatible(cc, n);
	if (is_int(l) && is_int(r)) {
		n->type = usual_type(cc, l->type, r->type);
		return;
	}
	if (n->op == OP_SUB && is_pointer(l) && is_pointer(r)) {
		if (!has_stride(cc, l) || !pointers_compatible(l->type, r->type))
			fail_incompatible(cc, n);
		n->type = cc->types->t_long;
		return;
	}
	p = is_int(r) ? l : n->op == OP_ADD && is_int(l) ? r : NULL;
	if (!p || !has_stride(cc, p))
		fail_incompatible(cc, n);
	n->is_userland = p->is_userland;
	n->is_writable = p->is_writable;
	if (!is_array(p)) {
		n->type = p->type;
		return;
	}
	n->type = type_pointer(cc->types, type_resolve(p->type)->ref);
	if (p->is_userland)
		n->type = type_userland(cc->types, n->type);
}

static bool comparable(const struct node *l, const struct node *r)
{
	if (node_is_dynamic(l) || node_is_dynamic(r))
		return false;
	if (is_int(l) && is_int(r))
		return true;
	if (type_is_string(l->type) || type_is_string(r->type))
		return (type_is_strcompat(l->type) || node_is_zero(l)) &&
		       (type_is_strcompat(r->type) || node_is_zero(r));
	if (is_pointer(l) || is_pointer(r))
		return node_is_zero(l) || node_is_zero(r) || pointers_compatible(l->type, r->type);
	return false;
}

static void check_comparison(struct compiler *cc, struct node *n)
{
	if (!comparable(n->left, n->right))
		fail_incompatible(cc, n);
	n->type = cc->types->t_int;
}

static void check_comma(struct compiler *cc, struct node *n)
{
	if (node_is_action(n->left) || node_is_action(n->right))
		compile_fail(cc, D_OP_ACT, n->line, "operator , operands cannot be actions");
	if (node_is_dynamic(n->left) || node_is_dynamic(n->right))
		compile_fail(cc, D_OP_DYN, n->line,
			     "operator , operands cannot be of dynamic type");
	n->type = n->right->type;
	n->is_userland = n->right->is_userland;
}

static struct node *check_cast(struct compiler *cc, struct node *n)
{
	const struct type *to = n->left->type, *from;
	char a[TYPE_TEXT], b[TYPE_TEXT];
	bool ok;

	/* without a type it is taken for an address */
	n->right = check_untyped_symbol(cc, n->right, cc->types->t_uintptr);
	from = n->right->type;
	if (node_is_dynamic(n->right))
		ok = false;
	else if (type_is_scalar(to) && !type_is_pointer(to))
		ok = is_scalar(n->right) || type_is_function(from);
	else if (type_is_pointer(to))
		ok = is_scalar(n->right) || type_is_function(from) || is_array(n->right);
	else if (type_is_string(to))
		ok = is_scalar(n->right) || type_is_strcompat(from);
	else
		ok = type_resolve(to)->kind == TYPE_VOID || type_same(to, from);
	if (!ok)
		compile_fail(cc, D_CAST_INVAL, n->line, "invalid cast expression: \"%s\" to \"%s\"",
			     node_type_text(n->right, a), node_type_text(n->left, b));
	n->type = to;
	n->is_userland = n->right->is_userland;
	if (type_is_string(to))
		n->is_userland |= type_resolve(from)->is_userland;
	return fold_cast(cc, n);
}

/* ---- members ---- */

static const struct type *structure_of(struct compiler *cc, const struct node *n)
{
	const struct type *t = type_resolve(n->left->type);
	char text[TYPE_TEXT];

	if (n->op == OP_PTR) {
		if (node_is_dynamic(n->left) || (t->kind != TYPE_POINTER && t->kind != TYPE_ARRAY))
			compile_fail(cc, D_OP_PTR, n->line,
				     "operator -> must be applied to a pointer");
		t = t->ref;
	}
	t = complete_type(cc, t);
	if (t->kind == TYPE_FORWARD)
		fail_forward(cc, n, t);
	if (type_is_sou(t))
		return t;
	if (n->op == OP_PTR)
		compile_fail(cc, D_OP_SOU, n->line,
			     "operator -> cannot be applied to pointer to type \"%s\"; must be "
			     "applied to a struct or union pointer",
			     type_name(t, text, sizeof(text)));
	compile_fail(cc, D_OP_SOU, n->line,
		     "operator . cannot be applied to type \"%s\"; must be applied to a struct or "
		     "union",
		     node_type_text(n->left, text));
}

static struct node *check_member(struct compiler *cc, struct node *n)
{
	struct node *symbol;
	const struct type *t;
	struct type_member m;
	char text[TYPE_TEXT];

	assert(n->right->kind == NODE_IDENT); /* says the grammar */
	if (n->op == OP_DOT && n->left->kind == NODE_IDENT && strcmp(n->left->string, "args") == 0)
		return check_named_arg(cc, n);
	symbol = check_dotted_symbol(cc, n);
	if (symbol)
		return symbol;
	n->left = check_expr(cc, n->left);
	if (n->left->kind == NODE_XLATE && node_is_dynamic(n->left))
		return xlate_check_member(cc, n);
	t = structure_of(cc, n);
	if (!type_member(t, n->right->string, &m)) {
		cc->at = n->right->at;
		cc->hint = hint_member(cc, t, n->right->string);
		compile_fail(cc, D_TYPE_MEMBER, n->line, "%s is not a member of %s",
			     n->right->string, type_name(t, text, sizeof(text)));
	}
	n->type = m.type;
	n->bits = m.bits;
	n->bit_offset = m.bit_offset;
	n->is_bitfield = m.bits != 0;
	n->is_lval = n->op == OP_PTR || n->left->is_lval;
	n->is_writable = n->op == OP_PTR || n->left->is_writable;
	n->is_userland = n->left->is_userland ||
			 (n->op == OP_PTR && type_resolve(n->left->type)->is_userland);
	note_userland(cc, n);
	return n;
}

struct node *check_op2(struct compiler *cc, struct node *n)
{
	if (n->op == OP_ASGN)
		return check_assign(cc, n);
	if (n->op >= OP_ADD_EQ && n->op <= OP_XOR_EQ)
		return check_assign_op(cc, n);
	if (n->op == OP_PTR || n->op == OP_DOT)
		return check_member(cc, n);
	if (n->op == OP_INDEX)
		return check_index(cc, n);
	if (n->op == OP_CAST)
		return check_cast(cc, n);
	n->left = check_expr(cc, n->left);
	if (n->op >= OP_EQ && n->op <= OP_GE)
		check_operand_right(cc, n);
	else
		n->right = check_expr(cc, n->right);
	switch (n->op) {
	case OP_ADD:
	case OP_SUB:
		check_sum(cc, n);
		break;
	case OP_MUL:
	case OP_DIV:
		require_operands(cc, n, is_int(n->left) && is_int(n->right), D_OP_ARITH,
				 "arithmetic");
		n->type = usual_type(cc, n->left->type, n->right->type);
		break;
	case OP_LAND:
	case OP_LOR:
	case OP_LXOR:
		require_operands(cc, n, is_scalar(n->left) && is_scalar(n->right), D_OP_SCALAR,
				 "scalar");
		n->type = cc->types->t_int;
		break;
	case OP_COMMA:
		check_comma(cc, n);
		break;
	case OP_LSH:
	case OP_RSH:
		require_operands(cc, n, is_int(n->left) && is_int(n->right), D_OP_INT, "integral");
		n->type = int_type(cc, n->left->type);
		break;
	case OP_MOD:
	case OP_BAND:
	case OP_BOR:
	case OP_XOR:
		require_operands(cc, n, is_int(n->left) && is_int(n->right), D_OP_INT, "integral");
		n->type = usual_type(cc, n->left->type, n->right->type);
		break;
	default: /* OP_EQ ... OP_GE */
		check_comparison(cc, n);
		break;
	}
	if ((n->op == OP_DIV || n->op == OP_MOD) && node_is_zero(n->right))
		compile_fail_bare(cc, D_DIV_ZERO, n->line, "expression contains division by zero");
	return fold_op2(cc, n);
}

/* ---- ?: ---- */

static const struct type *choice_type(struct compiler *cc, const struct node *a,
				      const struct node *b)
{
	if (is_int(a) && is_int(b))
		return usual_type(cc, a->type, b->type);
	if (type_is_string(a->type) || type_is_string(b->type))
		return check_fits(cc->types->t_string, a) && check_fits(cc->types->t_string, b)
			       ? cc->types->t_string
			       : NULL;
	if (is_pointer(a) && (node_is_zero(b) || pointers_compatible(a->type, b->type)))
		return a->type;
	if (is_pointer(b) && (node_is_zero(a) || pointers_compatible(a->type, b->type)))
		return b->type;
	return type_same(a->type, b->type) ? a->type : NULL;
}

struct node *check_op3(struct compiler *cc, struct node *n)
{
	struct node *c = n->expr = check_expr(cc, n->expr);

	if (node_is_dynamic(c) || !is_scalar(c))
		compile_fail(cc, D_OP_SCALAR, n->line,
			     "operator ?: expression must be of scalar type");
	if (c->kind == NODE_INT) /* the chosen side stands alone */
		return check_expr(cc, c->value ? n->left : n->right);
	n->left = check_expr(cc, n->left);
	n->right = check_expr(cc, n->right);
	if (node_is_action(n->left) || node_is_action(n->right))
		compile_fail(cc, D_OP_ACT, n->line,
			     "action cannot be used in a conditional context");
	if (node_is_dynamic(n->left) || node_is_dynamic(n->right))
		compile_fail(cc, D_OP_DYN, n->line,
			     "operator ?: operands cannot be of dynamic type");
	n->type = choice_type(cc, n->left, n->right);
	if (!n->type)
		compile_fail(cc, D_OP_INCOMPAT, n->line,
			     "operator ?: operands must have compatible types");
	n->is_userland = n->left->is_userland || n->right->is_userland;
	return n;
}
