/*
 * check.c: what the names of an expression stand for and of what type its parts are. The parser
 * knows no types; after check_expr every node has one, integer constants are folded, and variables
 * that were unknown have the type of their first assignment.
 */
#include "dlang/parse/check.h"

#include "dlang/parse/hint.h"
#include "dlang/parse/lex.h"
#include "dlang/parse/stability.h"
#include "dlang/parse/xlate.h"

#include "dlang/run/vm.h"

static struct node *check_node(struct compiler *, struct node *);

static NORETURN void fail_attr(struct compiler *cc, const struct node *n, const struct ident *id,
			       struct attr a)
{
	bool is_func = id && (id->kind == IDENT_FUNC || id->kind == IDENT_ACTFUNC);
	char text[ATTR_TEXT];

	compile_fail(cc, D_ATTR_MIN, n->line,
		     "attributes for %s %s%s (%s) are less than predefined minimum",
		     id ? ident_kind_name(id) : "symbol", id ? id->name : n->string,
		     is_func ? "( )" : "", attr_text(a, text));
}

/* The stability of a name becomes that of the clause. */
static void note_attr(struct compiler *cc, const struct node *n, const struct ident *id,
		      struct attr a)
{
	cc->attr = attr_weaker(cc->attr, a);
	if (!cc->library && attr_is_less(a, attr_amin(cc->session)))
		fail_attr(cc, n, id, a);
}

static void note_ident(struct compiler *cc, const struct node *n, const struct ident *id)
{
	const struct attr *a = pragma_attr(cc, id);

	note_attr(cc, n, id, a ? *a : attr_stable);
}

static void note_node(struct compiler *cc, const struct node *n)
{
	if (n->kind == NODE_SYM)
		note_attr(cc, n, NULL, attr_private);
	else if (n->ident && pragma_attr(cc, n->ident))
		note_ident(cc, n, n->ident);
}

struct node *check_expr(struct compiler *cc, struct node *n)
{
	struct node *next = n->next, *r;
	const char *outer = cc->at;

	if (n->is_checked)
		return n;
	cc->at = n->at ? n->at : outer;
	r = check_node(cc, n);
	cc->at = outer;
	r->is_checked = true;
	r->next = next;
	note_node(cc, r);
	return r;
}

void check_list(struct compiler *cc, struct node **list)
{
	for (; *list; list = &(*list)->next)
		*list = check_expr(cc, *list);
}

struct node *check_const(struct compiler *cc, struct node *n)
{
	struct node *r = check_expr(cc, n);

	return r->kind == NODE_INT ? r : NULL;
}

/* A body that meets a name that is not known yet gets its second try, if it has one left. */
static void try_again(struct compiler *cc)
{
	if (cc->retry)
		longjmp(*cc->retry, 1);
}

void fail_unset(struct compiler *cc, int line, const char *scope, const char *name)
{
	try_again(cc);
	cc->hint = hint_variable(cc,
				 scope[0] == 's'   ? SCOPE_SELF
				 : scope[0] == 't' ? SCOPE_THIS
				 : scope[0] == '@' ? SCOPE_AGG
						   : SCOPE_GLOBAL,
				 name);
	compile_fail(cc, D_VAR_UNDEF, line, "%s%s has not yet been declared or assigned", scope,
		     name);
}

/* ---- types ---- */

uint64_t type_bytes(const struct compiler *cc, const struct type *t)
{
	if (type_is_string(t))
		return (uint64_t)opt(&cc->session->options, OPT_STRSIZE);
	return type_resolve(t)->size;
}

bool type_is_function(const struct type *t)
{
	return type_resolve(t)->kind == TYPE_FUNCTION;
}

const struct type *int_type(const struct compiler *cc, const struct type *t)
{
	return type_resolve(t)->kind == TYPE_ENUM ? cc->types->t_int : t;
}

static uint64_t rank(const struct type *t)
{
	return 2 * type_resolve(t)->size + !type_is_signed(t);
}

const struct type *usual_type(const struct compiler *cc, const struct type *a, const struct type *b)
{
	a = int_type(cc, a);
	b = int_type(cc, b);
	return rank(a) >= rank(b) ? a : b;
}

const char *node_type_text(const struct node *n, char buf[static TYPE_TEXT])
{
	if (n->kind == NODE_XLATE && node_is_dynamic(n))
		return type_is_pointer(n->left->type) ? "pointer to translated data"
						      : "translated data";
	if (node_is_dynamic(n) || !n->type)
		return n->ident ? ident_kind_name(n->ident) : "scalar";
	return type_name(n->type, buf, TYPE_TEXT);
}

/* The type that a pointer or an array refers to; NULL: neither. */
static const struct type *referent(const struct type *t)
{
	t = type_resolve(t);
	return t->kind == TYPE_POINTER || t->kind == TYPE_ARRAY ? type_resolve(t->ref) : NULL;
}

bool pointers_compatible(const struct type *a, const struct type *b)
{
	const struct type *ra = referent(a), *rb = referent(b);

	if (!ra || !rb || type_resolve(a)->is_userland != type_resolve(b)->is_userland)
		return false;
	if (ra->kind == TYPE_VOID || rb->kind == TYPE_VOID || ra == rb)
		return true;
	return type_is_pointer(ra) && type_is_pointer(rb) && pointers_compatible(ra, rb);
}

bool check_fits(const struct type *to, const struct node *value)
{
	const struct type *from = value->type, *t = type_resolve(to);

	if (node_is_dynamic(value))
		return false;
	if (type_is_integer(to) && type_is_integer(from))
		return true;
	if (type_is_string(to))
		return type_is_strcompat(from) || node_is_zero(value);
	if (type_is_pointer(to))
		return node_is_zero(value) || pointers_compatible(to, from) ||
		       (type_is_strcompat(to) && type_is_string(from));
	if (type_is_float(to))
		return type_is_float(from) && t->size == type_resolve(from)->size;
	switch (t->kind) {
	case TYPE_STACK:
	case TYPE_SYMADDR:
	case TYPE_USYMADDR:
		return type_resolve(from)->kind == t->kind;
	default:
		return type_is_sou(to) && type_same(to, from);
	}
}

/* ---- nodes ---- */

struct node *make_int(struct compiler *cc, const struct node *at, uint64_t value,
		      const struct type *type)
{
	struct node *n = node_new(cc->arena, NODE_INT, at->line);

	n->value = value;
	n->type = type;
	n->is_checked = true;
	n->next = at->next;
	return n;
}

bool node_is_zero(const struct node *n)
{
	return n->kind == NODE_INT && n->value == 0;
}

bool node_is_dynamic(const struct node *n)
{
	return n->type && n->type->kind == TYPE_DYN;
}

bool node_is_action(const struct node *n)
{
	return n->kind == NODE_FUNC && n->ident && n->ident->kind == IDENT_ACTFUNC;
}

/* ---- names ---- */

static void fail_undefined(struct compiler *cc, const struct node *n)
{
	try_again(cc);
	cc->hint = hint_variable(cc, SCOPE_GLOBAL, n->string);
	compile_fail(cc, D_IDENT_UNDEF, n->line, "failed to resolve %s: Unknown variable name",
		     n->string);
}

/* What is assigned to a variable may be given to it later, so only names count as writable. */
static struct node *make_var(struct node *n, struct ident *id)
{
	n->kind = NODE_VAR;
	n->ident = id;
	n->type = id->type;
	n->is_lval = true;
	n->is_writable = !id->builtin && !id->is_input;
	return n;
}

static const struct type *builtin_type(struct compiler *cc, struct ident *id, int line)
{
	const struct builtin *b = id->row;

	if (!b->get)
		compile_fail(cc, D_UNKNOWN, line, "built-in variable %s is not available yet",
			     id->name);
	if (!id->type)
		id->type = parse_type(cc, b->type);
	return id->type;
}

struct node *expand_definition(struct compiler *cc, const struct node *definition)
{
	if (!node_fits(definition, &cc->expansions))
		compile_fail_plain(cc, "DIF program exceeds maximum program size");
	return node_copy(cc->arena, definition);
}

/*
 * An integer constant stands for the inline as it is (the type of the inline does not count); all
 * else is the expression in the inline's type.
 */
static struct node *expand_inline(struct compiler *cc, struct node *n, struct ident *id)
{
	struct node *r;

	if (id->nparams)
		compile_fail(cc, D_IDENT_BADREF, n->line, "%s '%s' may not be referenced as scalar",
			     ident_kind_name(id), id->name);
	if (!id->expr) /* in its own definition */
		fail_undefined(cc, n);
	note_ident(cc, n, id);
	if (id->expr->kind == NODE_XLATE)
		return expand_definition(cc, id->expr);
	if (id->expr->kind == NODE_INT) {
		r = make_int(cc, n, id->expr->value, id->expr->type);
		r->ident = id->builtin ? id : NULL; /* NULL: see codegen */
		return r;
	}
	n->kind = NODE_INLINE;
	n->ident = id;
	n->type = id->type;
	n->left = expand_definition(cc, id->expr);
	return n;
}

static struct node *check_name(struct compiler *cc, struct node *n)
{
	struct ident *id;
	struct node *r;

	if (strchr(n->string, '`'))
		return check_symbol(cc, n, NULL);
	id = ident_find(cc->idents, SCOPE_GLOBAL, n->string);
	if (!id || pragma_hides(cc, id))
		fail_undefined(cc, n);
	switch (id->kind) {
	case IDENT_SCALAR:
		if (id->builtin)
			builtin_type(cc, id, n->line);
		if (!id->type)
			fail_unset(cc, n->line, "", n->string);
		return make_var(n, id);
	case IDENT_ENUM:
		r = make_int(cc, n, (uint64_t)id->value, cc->types->t_int);
		return r;
	case IDENT_INLINE:
		return expand_inline(cc, n, id);
	default:
		cc->hint = hint_call(cc, id);
		compile_fail(cc, D_IDENT_BADREF, n->line, "%s '%s' may not be referenced as scalar",
			     ident_kind_name(id), id->name);
	}
}

/* What is translated stays so: the type is that of the translation. */
static bool inline_fits(const struct type *to, const struct node *value)
{
	return value->kind == NODE_XLATE ? type_same(to, value->left->type) : check_fits(to, value);
}

struct node *check_inline(struct compiler *cc, const struct ident *id, struct node *expr, int line)
{
	char l[TYPE_TEXT], r[TYPE_TEXT];

	expr = check_expr(cc, expr);
	if (!inline_fits(id->type, expr))
		compile_fail(cc, D_OP_INCOMPAT, line,
			     "inline %s definition uses incompatible types: \"%s\" = \"%s\"",
			     id->name, type_name(id->type, l, sizeof(l)), node_type_text(expr, r));
	return expr;
}

struct node *check_enumerator(struct compiler *cc, struct node *name, const struct type *t)
{
	const struct type *e = type_resolve(t);
	const struct ident *id;
	struct node *r;

	if (e->kind != TYPE_ENUM || name->kind != NODE_IDENT)
		return NULL;
	for (unsigned i = 0; i < e->nenumrs; i++) {
		if (strcmp(e->enumrs[i].name, name->string) != 0)
			continue;
		id = ident_find(cc->idents, SCOPE_GLOBAL, name->string);
		if (id && id->kind == IDENT_SCALAR)
			compile_fail(cc, D_IDENT_AMBIG, name->line,
				     "%s is ambiguous: a variable and an enumerator of %s",
				     name->string, e->name ? e->name : "this enum");
		r = make_int(cc, name, (uint64_t)e->enumrs[i].value, cc->types->t_int);
		return r;
	}
	return NULL;
}

struct node *variable_name(struct node *n, enum ident_scope *scope)
{
	*scope = SCOPE_GLOBAL;
	if (n->kind == NODE_IDENT)
		return n;
	if (n->kind != NODE_OP2 || n->op != OP_PTR || n->left->kind != NODE_IDENT)
		return NULL;
	if (strcmp(n->left->string, "self") == 0)
		*scope = SCOPE_SELF;
	else if (strcmp(n->left->string, "this") == 0)
		*scope = SCOPE_THIS;
	else
		return NULL;
	return n->right;
}

void set_variable_type(struct ident *id, const struct type *t)
{
	id->type = type_strip_quals(t);
}

void fail_no_ids(struct compiler *cc, int line)
{
	compile_fail(cc, D_ID_OFLOW, line, "too many variables: there are no more identifiers");
}

struct node *check_target(struct compiler *cc, struct node *n)
{
	enum ident_scope scope;
	struct node *name;
	struct ident *id;

	if (n->is_checked)
		return n;
	name = n->kind == NODE_OP2 && n->op == OP_INDEX ? variable_name(n->left, &scope) : NULL;
	if (name && !strchr(name->string, '`')) {
		struct node *r = check_element(cc, n, true);

		if (r)
			return r;
	}
	name = variable_name(n, &scope);
	if (!name || strchr(name->string, '`'))
		return check_expr(cc, n);
	id = ident_find(cc->idents, scope, name->string);
	if (!id) {
		id = ident_add(cc->idents, scope, name->string, IDENT_SCALAR, NULL);
		if (!id)
			fail_no_ids(cc, name->line);
		id->line = name->line;
	}
	if (id->kind != IDENT_SCALAR || id->builtin || id->type) {
		return check_expr(cc, n);
	}
	n->is_checked = true;
	make_var(n, id);
	note_node(cc, n);
	return n;
}

/* self->x and this->x read. */
static struct node *check_scoped(struct compiler *cc, struct node *n, struct node *name,
				 enum ident_scope scope)
{
	struct ident *id = ident_find(cc->idents, scope, name->string);

	if (!id || !id->type)
		fail_unset(cc, name->line, scope == SCOPE_SELF ? "self->" : "this->", name->string);
	if (id->kind != IDENT_SCALAR)
		compile_fail(cc, D_IDENT_BADREF, name->line,
			     "%s '%s' may not be referenced as scalar", ident_kind_name(id),
			     id->name);
	return make_var(n, id);
}

/* ---- aggregations and operators without operands of their own ---- */

static struct node *check_agg(struct compiler *cc, struct node *n)
{
	struct ident *id = ident_find(cc->idents, SCOPE_AGG, n->string);

	if (!id || !id->row) {
		cc->hint = hint_variable(cc, SCOPE_AGG, n->string);
		compile_fail(cc, D_IDENT_UNDEF, n->line,
			     "failed to resolve @%s: Unknown variable name", n->string);
	}
	check_list(cc, &n->args);
	n->ident = id;
	n->type = cc->types->t_dyn;
	return n;
}

static struct node *check_offsetof(struct compiler *cc, struct node *n)
{
	struct type_member m;

	complete_type(cc, n->left->type);
	if (!type_is_sou(n->left->type))
		compile_fail(cc, D_OFFSETOF_TYPE, n->line,
			     "offsetof operand must be a struct or union type");
	if (!type_member(n->left->type, n->string, &m))
		compile_fail(cc, D_UNKNOWN, n->line,
			     "failed to determine offset of %s: Member name not found.", n->string);
	if (m.bits)
		compile_fail(cc, D_OFFSETOF_BITFIELD, n->line,
			     "cannot take offset of a bit-field: %s", n->string);
	return make_int(cc, n, m.bit_offset / 8, cc->types->t_ulong);
}

static struct node *check_node(struct compiler *cc, struct node *n)
{
	enum ident_scope scope;
	struct node *name;

	switch (n->kind) {
	case NODE_INT:
		if (!n->type)
			n->type = cc->types->t_int;
		return n;
	case NODE_STR:
		n->type = cc->types->t_string;
		return n;
	case NODE_IDENT:
		return check_name(cc, n);
	case NODE_FUNC:
		return check_call(cc, n);
	case NODE_AGG:
		return check_agg(cc, n);
	case NODE_OP1:
		return check_op1(cc, n);
	case NODE_OP2:
		name = variable_name(n, &scope);
		return name ? check_scoped(cc, n, name, scope) : check_op2(cc, n);
	case NODE_OP3:
		return check_op3(cc, n);
	case NODE_OFFSETOF:
		return check_offsetof(cc, n);
	case NODE_XLATE:
		return xlate_check(cc, n);
	default: /* variables and inlines come checked; statements are clause.c's */
		return n;
	}
}
