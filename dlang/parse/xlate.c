#include "dlang/parse/xlate.h"

#include "dlang/parse/check.h"
#include "dlang/parse/decl.h"
#include "dlang/parse/hint.h"
#include "dlang/parse/stability.h"
#include "dlang/session_engine.h"

/* ---- which translator ---- */

/* Typedefs, qualifiers and the address space a pointer leads to make no difference. */
static bool same_value(const struct type *a, const struct type *b)
{
	a = type_resolve(a);
	b = type_resolve(b);
	while (a->kind == TYPE_POINTER && b->kind == TYPE_POINTER) {
		a = type_resolve(a->ref);
		b = type_resolve(b->ref);
	}
	return a == b;
}

static const struct type *structure(const struct type *out)
{
	const struct type *t = type_resolve(out);

	return t->kind == TYPE_POINTER ? type_resolve(t->ref) : t;
}

const struct xlator *xlator_find(const struct compiler *cc, const struct type *in,
				 const struct type *out)
{
	const struct type *to = structure(out), *from = type_strip_quals(in);
	const struct xlator *near = NULL;

	for (const struct xlator *x = cc->session->engine->xlators; x; x = x->next) {
		if (type_resolve(x->out) != to || !same_value(x->input->type, in))
			continue;
		if (type_strip_quals(x->input->type) == from)
			return x;
		if (!near)
			near = x;
	}
	return near;
}

static const struct xlate_member *find_conversion(const struct xlator *x, const char *name)
{
	const struct xlate_member *found = NULL;

	/* given twice, the last one holds */
	for (const struct xlate_member *m = x->members; m; m = m->next)
		if (m->expr->is_checked && strcmp(m->name, name) == 0)
			found = m;
	return found;
}

/* ---- declarations ---- */

/* member = IDENT "=" assign ";" */
static void read_member(struct compiler *cc, struct xlator *x)
{
	struct xlate_member *m = ARENA_NEW(cc->arena, struct xlate_member);
	const struct token *t = lex_peek(cc);

	if (t->kind != TOK_IDENT && t->kind != TOK_TNAME)
		syntax_error(cc);
	m->name = t->string;
	lex_skip(cc);
	parse_expect(cc, '=');
	m->expr = parse_assign(cc);
	parse_expect(cc, ';');
	*x->tail = m;
	x->tail = &m->next;
}

static void check_types(struct compiler *cc, const struct xlator *x, int line)
{
	const struct type *to = type_resolve(x->out);
	char in[TYPE_TEXT], out[TYPE_TEXT];

	if (xlator_find(cc, x->input->type, x->out))
		compile_fail(cc, D_XLATE_REDECL, line,
			     "translator from %s to %s has already been declared",
			     type_name(x->input->type, in, sizeof(in)),
			     type_name(x->out, out, sizeof(out)));
	if (to->kind == TYPE_FORWARD)
		compile_fail(cc, D_XLATE_SOU, line, "incomplete struct/union/enum %s",
			     type_name(to, out, sizeof(out)));
	if (!type_is_sou(to))
		compile_fail(cc, D_XLATE_SOU, line,
			     "translator output type must be a struct or union");
}

/* As an argument fits its parameter, and arrays fit when they are the same. */
static bool member_fits(const struct type *to, const struct node *value)
{
	return check_fits(to, value) || (!node_is_dynamic(value) && type_same(to, value->type)) ||
	       (type_is_strcompat(to) && type_resolve(to)->kind == TYPE_ARRAY &&
		type_is_string(value->type));
}

static void check_conversion(struct compiler *cc, const struct xlator *x, struct xlate_member *m)
{
	char a[TYPE_TEXT], b[TYPE_TEXT];
	struct type_member to;

	if (!type_member(type_resolve(x->out), m->name, &to))
		compile_fail(cc, D_XLATE_MEMB, m->line,
			     "translator member %s is not a member of %s", m->name,
			     type_name(x->out, a, sizeof(a)));
	cc->attr = attr_stable;
	m->expr = check_expr(cc, m->expr);
	m->attr = cc->attr;
	xlate_whole(m->expr);
	if (!member_fits(to.type, m->expr))
		compile_fail(cc, D_XLATE_INCOMPAT, m->line,
			     "translator member %s definition uses incompatible types: "
			     "\"%s\" = \"%s\"",
			     m->name, type_name(to.type, a, sizeof(a)), node_type_text(m->expr, b));
}

/* Each definition sees the input by its name, and the members before it. */
static void check_conversions(struct compiler *cc, struct xlator *x)
{
	struct ident *hidden = ident_replace(cc->idents, SCOPE_GLOBAL, x->input->name, x->input);
	const struct attr before = cc->attr;

	for (struct xlate_member *m = x->members; m; m = m->next)
		check_conversion(cc, x, m);
	cc->attr = before;
	ident_replace(cc->idents, SCOPE_GLOBAL, x->input->name, hidden);
}

static struct ident *input_ident(struct compiler *cc, const struct param *p)
{
	struct ident *id = ARENA_NEW(cc->arena, struct ident);

	id->name = p->name;
	id->kind = IDENT_SCALAR;
	id->scope = SCOPE_GLOBAL;
	id->type = p->type;
	id->is_input = true;
	id->declared = true;
	id->line = cc->line;
	return id;
}

/* translator = "translator" typename "<" typename IDENT ">" "{" { member } "}" ";" */
void xlate_declaration(struct compiler *cc)
{
	struct xlator *x = ARENA_NEW(cc->arena, struct xlator);
	const struct param *input;
	int line, end;

	lex_enter(cc, LEX_CLAUSE, 0);
	lex_skip(cc);
	x->tail = &x->members;
	x->out = decl_typename(cc);
	parse_expect(cc, '<');
	cc->lex->in_decl = true;
	input = decl_param(cc);
	cc->lex->in_decl = false;
	if (!input->name)
		syntax_error(cc);
	if (input->is_array)
		compile_fail(cc, D_DECL_DYNOBJ, lex_peek(cc)->line,
			     "cannot have dynamic parameter: %s", input->name);
	x->input = input_ident(cc, input);
	parse_expect(cc, '>');
	parse_expect(cc, '{');
	while (lex_peek(cc)->kind != '}')
		read_member(cc, x);
	end = lex_peek(cc)->line;
	lex_skip(cc);
	for (struct xlate_member *m = x->members; m; m = m->next)
		m->line = end; /* where all of them are looked at */
	line = lex_peek(cc)->line;
	if (lex_peek(cc)->kind != ';')
		syntax_error(cc);
	check_types(cc, x, line);
	x->next = cc->session->engine->xlators;
	cc->session->engine->xlators = x;
	check_conversions(cc, x);
	lex_skip(cc);
	lex_enter(cc, LEX_OUTER, 0);
}

/* ---- uses ---- */

struct node *xlate_check(struct compiler *cc, struct node *n)
{
	const struct type *out = n->left->type;
	char a[TYPE_TEXT], b[TYPE_TEXT];

	n->right = check_expr(cc, n->right);
	if (!node_is_dynamic(n->right))
		n->xlator = xlator_find(cc, n->right->type, out);
	if (!n->xlator)
		compile_fail(cc, D_XLATE_NONE, n->line, "cannot translate from \"%s\" to \"%s\"",
			     node_type_text(n->right, a), type_name(out, b, sizeof(b)));
	n->type = cc->types->t_dyn;
	return n;
}

void xlate_whole(struct node *n)
{
	if (n->kind == NODE_XLATE && n->type->kind == TYPE_DYN && type_is_sou(n->left->type))
		n->type = n->left->type;
}

static const struct type *require_operator(struct compiler *cc, const struct node *n)
{
	const struct type *out = n->left->left->type;
	char text[TYPE_TEXT];

	if (n->op == OP_PTR && !type_is_pointer(out))
		compile_fail(cc, D_OP_PTR, n->line, "operator -> must be applied to a pointer");
	if (n->op == OP_DOT && type_is_pointer(out))
		compile_fail(cc, D_OP_SOU, n->line,
			     "operator . cannot be applied to type \"%s\"; must be applied to a "
			     "struct or union",
			     type_name(out, text, sizeof(text)));
	return structure(out);
}

/* A member is as stable as the weakest thing its definition reads. */
static void note_stability(struct compiler *cc, const struct node *n, const struct xlate_member *m)
{
	char text[ATTR_TEXT];

	cc->attr = attr_weaker(cc->attr, m->attr);
	if (!cc->library && attr_is_less(m->attr, attr_amin(cc->session)))
		compile_fail(cc, D_ATTR_MIN, n->line,
			     "attributes for translated member %s (%s) are less than predefined "
			     "minimum",
			     m->name, attr_text(m->attr, text));
}

/*
 *   NODE_OP2 (. or ->)                NODE_XMEMBER
 *     left: NODE_XLATE         →        left: value
 *       right: value                    right: a copy of the definition
 *     right: the member's name          xlator: whose input the value is
 */
struct node *xlate_check_member(struct compiler *cc, struct node *n)
{
	const struct type *out = require_operator(cc, n);
	const struct xlator *x = n->left->xlator;
	const struct xlate_member *conversion;
	const char *name = n->right->string;
	struct type_member m;
	char text[TYPE_TEXT];

	if (!type_member(out, name, &m)) {
		cc->at = n->right->at;
		cc->hint = hint_member(cc, out, name);
		compile_fail(cc, D_TYPE_MEMBER, n->line, "%s is not a member of %s", name,
			     type_name(out, text, sizeof(text)));
	}
	conversion = find_conversion(x, name);
	if (!conversion)
		compile_fail(cc, D_XLATE_NOCONV, n->line,
			     "translator does not define conversion for member: %s", name);
	note_stability(cc, n, conversion);
	n->kind = NODE_XMEMBER;
	n->xlator = x;
	n->left = n->left->right;
	n->right = expand_definition(cc, conversion->expr);
	n->type = m.type;
	n->is_userland = n->right->is_userland;
	return n;
}
