/*
 * parse.c: the grammar of d-language.md §2, one function per rule. Builds raw trees: names are not
 * looked up here, only operators whose operands are integer constants are folded at once.
 */
#include "base/strbuf.h"
#include "dlang/parse/decl.h"
#include "dlang/parse/provdecl.h"
#include "dlang/parse/xlate.h"

#define MAX_DEPTH 2000 /* of the grammar's recursion and of trees */

static struct node *parse_expr(struct compiler *);

/* ---- small things ---- */

static int peek(struct compiler *cc)
{
	return lex_peek(cc)->kind;
}

bool parse_accept(struct compiler *cc, int kind)
{
	if (peek(cc) != kind)
		return false;
	lex_skip(cc);
	return true;
}

void parse_expect(struct compiler *cc, int kind)
{
	if (!parse_accept(cc, kind))
		syntax_error(cc);
}

void parse_deeper(struct compiler *cc)
{
	if (++cc->lex->depth > MAX_DEPTH)
		compile_fail(cc, D_SYNTAX, cc->line, "program is nested too deeply");
}

void parse_shallower(struct compiler *cc)
{
	cc->lex->depth--;
}

/* A list that grows at its end. */
struct chain {
	struct node *first, **last;
};

static void chain_add(struct chain *c, struct node *n)
{
	if (!c->last)
		c->last = &c->first;
	*c->last = n;
	while (*c->last)
		c->last = &(*c->last)->next;
}

/* ---- nodes ---- */

static void set_depth(struct compiler *cc, struct node *n, const struct node *child)
{
	for (; child; child = child->next)
		n->depth = MAX(n->depth, child->depth + 1);
	if (n->depth > MAX_DEPTH)
		compile_fail(cc, D_SYNTAX, cc->line, "program is nested too deeply");
}

static bool is_int(const struct node *n)
{
	return n->kind == NODE_INT;
}

static struct node *fold(struct compiler *cc, struct node *n)
{
	struct node *r = check_const(cc, n);

	return r ? r : n;
}

/* The line of an operator is that of the token after the whole expression. */
static struct node *new_op(struct compiler *cc, enum node_kind kind, enum node_op op,
			   struct node *left, struct node *right)
{
	struct node *n = node_new(cc->arena, kind, lex_peek(cc)->line);

	n->op = op;
	n->at = left->at;
	n->left = left;
	n->right = right;
	set_depth(cc, n, left);
	set_depth(cc, n, right);
	return n;
}

static struct node *new_op1(struct compiler *cc, enum node_op op, struct node *operand)
{
	struct node *n = new_op(cc, NODE_OP1, op, operand, NULL);
	bool folds = op == OP_INEG || op == OP_IPOS || op == OP_BNEG || op == OP_LNEG;

	return folds && is_int(operand) ? fold(cc, n) : n;
}

static struct node *new_op2(struct compiler *cc, enum node_op op, struct node *left,
			    struct node *right)
{
	struct node *n = new_op(cc, NODE_OP2, op, left, right);

	return op <= OP_GE && is_int(left) && is_int(right) ? fold(cc, n) : n;
}

static struct node *new_op3(struct compiler *cc, struct node *cond, struct node *yes,
			    struct node *no)
{
	struct node *n;

	n = new_op(cc, NODE_OP3, OP_NONE, yes, no);
	n->expr = cond;
	n->at = cond->at;
	set_depth(cc, n, cond);
	return n;
}

static struct node *new_cast(struct compiler *cc, struct node *type, struct node *operand)
{
	struct node *n = new_op(cc, NODE_OP2, OP_CAST, type, operand);

	return is_int(operand) && type_is_integer(type->type) ? fold(cc, n) : n;
}

static struct node *new_name(struct compiler *cc, const char *name)
{
	struct node *n = node_new(cc->arena, NODE_IDENT, lex_peek(cc)->line);

	n->at = lex_peek(cc)->text;
	n->string = name;
	return n;
}

static struct node *new_type(struct compiler *cc)
{
	struct node *n = node_new(cc->arena, NODE_TYPE, cc->line);

	n->at = lex_peek(cc)->text;
	n->type = decl_typename(cc);
	return n;
}

/* ---- primary and postfix ---- */

/* args = assign { "," assign } */
static struct node *parse_args(struct compiler *cc)
{
	struct chain list = {0};

	do
		chain_add(&list, parse_assign(cc));
	while (parse_accept(cc, ','));
	return list.first;
}

static struct node *parse_primary(struct compiler *cc)
{
	const struct token *t = lex_peek(cc);
	struct node *n;

	switch (t->kind) {
	case TOK_IDENT:
		n = new_name(cc, t->string);
		break;
	case KEY_self:
		n = new_name(cc, "self");
		break;
	case KEY_this:
		n = new_name(cc, "this");
		break;
	case TOK_AGG:
		n = node_new(cc->arena, NODE_AGG, t->line);
		n->string = t->string;
		break;
	case TOK_INT:
		n = node_new(cc->arena, NODE_INT, t->line);
		n->value = t->value;
		n->type = t->type;
		break;
	case TOK_STR:
		n = node_new(cc->arena, NODE_STR, t->line);
		n->string = t->string;
		n->length = strlen(t->string);
		break;
	case '(':
		lex_skip(cc);
		n = parse_expr(cc);
		if (peek(cc) != ')')
			syntax_error(cc);
		break;
	default:
		syntax_error(cc);
	}
	if (!n->at)
		n->at = lex_peek(cc)->text;
	lex_skip(cc);
	return n;
}

/* "offsetof" "(" typename "," IDENT ")" */
static struct node *parse_offsetof(struct compiler *cc)
{
	struct node *n = node_new(cc->arena, NODE_OFFSETOF, cc->line);

	n->at = lex_peek(cc)->text;
	lex_skip(cc);
	parse_expect(cc, '(');
	n->left = new_type(cc);
	parse_expect(cc, ',');
	if (peek(cc) != TOK_IDENT && peek(cc) != TOK_TNAME)
		syntax_error(cc);
	n->string = lex_peek(cc)->string;
	lex_skip(cc);
	parse_expect(cc, ')');
	n->line = lex_peek(cc)->line;
	return n;
}

/* "xlate" "<" typename ">" "(" expr ")" */
static struct node *parse_xlate(struct compiler *cc)
{
	struct node *type, *value;

	lex_skip(cc);
	parse_expect(cc, '<');
	type = new_type(cc);
	parse_expect(cc, '>');
	parse_expect(cc, '(');
	value = parse_expr(cc);
	parse_expect(cc, ')');
	return new_op(cc, NODE_XLATE, OP_NONE, type, value);
}

/* After `.` or `->`. */
static struct node *parse_member(struct compiler *cc)
{
	const struct token *t = lex_peek(cc);
	struct node *n;

	if (t->kind == TOK_IDENT || t->kind == TOK_TNAME)
		n = new_name(cc, t->string);
	else if (keyword_flags(t->kind) & KW_MEMBER)
		n = new_name(cc, arena_strndup(cc->arena, t->text, t->len));
	else
		syntax_error(cc);
	lex_skip(cc);
	return n;
}

static struct node *parse_subscript(struct compiler *cc, struct node *base)
{
	struct node *args = parse_args(cc), *n;

	parse_expect(cc, ']');
	if (base->kind == NODE_AGG && !base->has_keys) {
		base->has_keys = true;
		base->args = args;
		set_depth(cc, base, args);
		return base;
	}
	n = new_op(cc, NODE_OP2, OP_INDEX, base, NULL);
	n->args = args;
	set_depth(cc, n, args);
	return n;
}

static struct node *parse_call(struct compiler *cc, struct node *designator)
{
	struct node *n = node_new(cc->arena, NODE_FUNC, designator->line);

	n->at = designator->at;
	n->left = designator;
	if (peek(cc) != ')')
		n->args = parse_args(cc);
	n->end_line = lex_peek(cc)->line;
	parse_expect(cc, ')');
	set_depth(cc, n, designator);
	set_depth(cc, n, n->args);
	return n;
}

static struct node *parse_postfix_of(struct compiler *cc, struct node *n)
{
	for (;;) {
		int kind = peek(cc);

		if (kind != '[' && kind != '(' && kind != '.' && kind != TOK_PTR &&
		    kind != TOK_INC && kind != TOK_DEC)
			return n;
		lex_skip(cc);
		if (kind == '[')
			n = parse_subscript(cc, n);
		else if (kind == '(')
			n = parse_call(cc, n);
		else if (kind == '.' || kind == TOK_PTR)
			n = new_op2(cc, kind == '.' ? OP_DOT : OP_PTR, n, parse_member(cc));
		else
			n = new_op1(cc, kind == TOK_INC ? OP_POSTINC : OP_POSTDEC, n);
	}
}

static struct node *parse_postfix(struct compiler *cc)
{
	switch (peek(cc)) {
	case KEY_offsetof:
		return parse_postfix_of(cc, parse_offsetof(cc));
	case KEY_xlate:
		return parse_postfix_of(cc, parse_xlate(cc));
	default:
		return parse_postfix_of(cc, parse_primary(cc));
	}
}

/* ---- operators ---- */

static struct node *parse_cast(struct compiler *cc, bool *is_unary);

static enum node_op unary_op(int kind)
{
	switch (kind) {
	case '&':
		return OP_ADDROF;
	case '*':
		return OP_DEREF;
	case '+':
		return OP_IPOS;
	case '-':
		return OP_INEG;
	case '~':
		return OP_BNEG;
	case '!':
		return OP_LNEG;
	default:
		return OP_NONE;
	}
}

static struct node *parse_unary(struct compiler *cc);

/* "sizeof" unary | "sizeof" "(" typename ")" */
static struct node *parse_sizeof(struct compiler *cc)
{
	struct node *operand;
	bool is_type;

	if (peek(cc) != '(')
		return new_op1(cc, OP_SIZEOF, parse_unary(cc));
	lex_skip(cc);
	cc->lex->in_decl = true; /* sizeof (foo_t[4]) */
	is_type = decl_begins_type(cc);
	cc->lex->in_decl = false;
	if (is_type) {
		operand = new_type(cc);
		parse_expect(cc, ')');
	} else {
		operand = parse_expr(cc);
		parse_expect(cc, ')');
		operand = parse_postfix_of(cc, operand);
	}
	return new_op1(cc, OP_SIZEOF, operand);
}

static struct node *parse_unary(struct compiler *cc)
{
	int kind = peek(cc);
	enum node_op op = unary_op(kind);
	struct node *n;
	bool ignored;

	parse_deeper(cc);
	if (op != OP_NONE) {
		lex_skip(cc);
		n = parse_cast(cc, &ignored);
		n = new_op1(cc, op, n);
	} else if (kind == TOK_INC || kind == TOK_DEC) {
		lex_skip(cc);
		n = parse_unary(cc);
		n = new_op1(cc, kind == TOK_INC ? OP_PREINC : OP_PREDEC, n);
	} else if (kind == KEY_sizeof) {
		lex_skip(cc);
		n = parse_sizeof(cc);
	} else if (kind == KEY_stringof) {
		lex_skip(cc);
		n = parse_unary(cc);
		n = new_op1(cc, OP_STRINGOF, n);
	} else {
		n = parse_postfix(cc);
	}
	parse_shallower(cc);
	return n;
}

/* "(" is read: a cast, or an expression in parentheses. */
static struct node *parse_after_paren(struct compiler *cc, bool *is_unary)
{
	struct node *n;
	bool ignored;

	if (decl_begins_type(cc)) {
		struct node *type = new_type(cc);

		parse_expect(cc, ')');
		*is_unary = false;
		return new_cast(cc, type, parse_cast(cc, &ignored));
	}
	n = parse_expr(cc);
	parse_expect(cc, ')');
	return parse_postfix_of(cc, n);
}

/* cast = unary | "(" typename ")" cast */
static struct node *parse_cast(struct compiler *cc, bool *is_unary)
{
	struct node *n;

	*is_unary = true;
	parse_deeper(cc);
	if (parse_accept(cc, '('))
		n = parse_after_paren(cc, is_unary);
	else
		n = parse_unary(cc);
	parse_shallower(cc);
	return n;
}

/* clang-format off */
static const struct binary {
	int kind;
	enum node_op op;
	int level; /* higher binds more tightly (§2.2) */
} binaries[] = {
	{'*', OP_MUL, 11}, {'/', OP_DIV, 11}, {'%', OP_MOD, 11},
	{'+', OP_ADD, 10}, {'-', OP_SUB, 10},
	{TOK_LSH, OP_LSH, 9}, {TOK_RSH, OP_RSH, 9},
	{'<', OP_LT, 8}, {TOK_LE, OP_LE, 8}, {'>', OP_GT, 8}, {TOK_GE, OP_GE, 8},
	{TOK_EQ, OP_EQ, 7}, {TOK_NE, OP_NE, 7},
	{'&', OP_BAND, 6}, {'^', OP_XOR, 5}, {'|', OP_BOR, 4},
	{TOK_LAND, OP_LAND, 3}, {TOK_LXOR, OP_LXOR, 2}, {TOK_LOR, OP_LOR, 1},
};

static const struct {
	int kind;
	enum node_op op;
} assignments[] = {
	{'=', OP_ASGN}, {TOK_ADD_EQ, OP_ADD_EQ}, {TOK_SUB_EQ, OP_SUB_EQ}, {TOK_MUL_EQ, OP_MUL_EQ},
	{TOK_DIV_EQ, OP_DIV_EQ}, {TOK_MOD_EQ, OP_MOD_EQ}, {TOK_LSH_EQ, OP_LSH_EQ},
	{TOK_RSH_EQ, OP_RSH_EQ}, {TOK_AND_EQ, OP_AND_EQ}, {TOK_OR_EQ, OP_OR_EQ},
	{TOK_XOR_EQ, OP_XOR_EQ},
};
/* clang-format on */

static const struct binary *binary_find(int kind)
{
	for (unsigned i = 0; i < ARRAY_SIZE(binaries); i++)
		if (binaries[i].kind == kind)
			return &binaries[i];
	return NULL;
}

/* All binary operators of this level and above, left to right. */
static struct node *parse_binary(struct compiler *cc, int level, bool *is_unary)
{
	struct node *left = parse_cast(cc, is_unary), *right;
	const struct binary *b;
	bool ignored;

	while ((b = binary_find(peek(cc))) && b->level >= level) {
		lex_skip(cc);
		right = parse_binary(cc, b->level + 1, &ignored);
		left = new_op2(cc, b->op, left, right);
		*is_unary = false;
	}
	return left;
}

/* cond = lor [ "?" expr ":" cond ] */
static struct node *parse_cond_or_unary(struct compiler *cc, bool *is_unary)
{
	struct node *cond, *yes, *no;

	parse_deeper(cc);
	cond = parse_binary(cc, 1, is_unary);
	if (parse_accept(cc, '?')) {
		yes = parse_expr(cc);
		parse_expect(cc, ':');
		no = parse_cond(cc);
		cond = new_op3(cc, cond, yes, no);
		*is_unary = false;
	}
	parse_shallower(cc);
	return cond;
}

struct node *parse_cond(struct compiler *cc)
{
	bool ignored;

	return parse_cond_or_unary(cc, &ignored);
}

static enum node_op assignment_op(int kind)
{
	for (unsigned i = 0; i < ARRAY_SIZE(assignments); i++)
		if (assignments[i].kind == kind)
			return assignments[i].op;
	return OP_NONE;
}

/* assign = cond | unary assignop assign */
struct node *parse_assign(struct compiler *cc)
{
	struct node *left, *right;
	enum node_op op;
	bool is_unary;

	parse_deeper(cc);
	left = parse_cond_or_unary(cc, &is_unary);
	op = assignment_op(peek(cc));
	if (op != OP_NONE) {
		if (!is_unary)
			syntax_error(cc);
		lex_skip(cc);
		right = parse_assign(cc);
		left = new_op2(cc, op, left, right);
	}
	parse_shallower(cc);
	return left;
}

/* expr = assign { "," assign } */
static struct node *parse_expr(struct compiler *cc)
{
	struct node *n = parse_assign(cc), *right;

	while (parse_accept(cc, ',')) {
		right = parse_assign(cc);
		n = new_op2(cc, OP_COMMA, n, right);
	}
	return n;
}

/* ---- statements ---- */

static struct node *parse_if(struct compiler *cc);
static struct node *parse_stmts(struct compiler *cc);

/* The line of a statement is that of what ends it. */
static struct node *parse_expr_stmt(struct compiler *cc)
{
	struct node *e = parse_expr(cc), *n;

	n = node_new(cc->arena, NODE_EXPR, lex_peek(cc)->line);
	n->at = e->at;
	n->left = e;
	set_depth(cc, n, e);
	return n;
}

/* body = stmt | "{" stmts "}" */
static struct node *parse_body(struct compiler *cc)
{
	struct node *n;

	if (parse_accept(cc, '{')) {
		n = parse_stmts(cc);
		parse_expect(cc, '}');
		return n;
	}
	if (parse_accept(cc, ';'))
		return NULL;
	if (peek(cc) == KEY_if)
		return parse_if(cc);
	n = parse_expr_stmt(cc);
	parse_expect(cc, ';');
	return n;
}

/* "if" "(" expr ")" body [ "else" body ] */
static struct node *parse_if(struct compiler *cc)
{
	struct node *n = node_new(cc->arena, NODE_IF, lex_peek(cc)->line);

	n->at = lex_peek(cc)->text;
	parse_deeper(cc);
	lex_skip(cc);
	parse_expect(cc, '(');
	n->expr = parse_expr(cc);
	parse_expect(cc, ')');
	n->body = parse_body(cc);
	if (parse_accept(cc, KEY_else))
		n->orelse = parse_body(cc);
	parse_shallower(cc);
	return n;
}

/* stmts = { stmt } [ expr ], up to the closing brace */
static struct node *parse_stmts(struct compiler *cc)
{
	struct chain list = {0};

	while (peek(cc) != '}') {
		if (parse_accept(cc, ';'))
			continue;
		if (peek(cc) == KEY_if) {
			chain_add(&list, parse_if(cc));
			continue;
		}
		chain_add(&list, parse_expr_stmt(cc));
		if (peek(cc) != '}')
			parse_expect(cc, ';');
	}
	return list.first;
}

/* ---- probe descriptions ---- */

/* §4.1: names are given from the right, so a level says how many there are. */
static unsigned desc_level(enum source_kind kind)
{
	switch (kind) {
	case SOURCE_PROVIDER:
		return 1;
	case SOURCE_MODULE:
		return 2;
	case SOURCE_FUNCTION:
		return 3;
	default:
		return 4;
	}
}

static NORETURN void desc_invalid(struct compiler *cc, const struct node *n, const char *why)
{
	compile_fail(cc, D_PDESC_INVAL, n->line, "invalid probe description \"%s\": %s",
		     n->desc_text, why);
}

/* What stands in quotes means itself: as with a backslash before what would mean more. */
static const char *unquoted(struct compiler *cc, const char *text)
{
	struct strbuf out;
	bool is_quoted = false;
	const char *field;

	strbuf_init(&out);
	for (; *text; text++) {
		if (*text == '"') {
			is_quoted = !is_quoted;
			continue;
		}
		if (is_quoted && *text == '\\' && text[1] == '"')
			text++;
		else if (is_quoted && strchr("*?[]\\", *text))
			strbuf_addc(&out, '\\');
		strbuf_addc(&out, *text);
	}
	field = arena_strdup(cc->arena, out.s ? out.s : "");
	strbuf_release(&out);
	return field;
}

static const char *desc_field(struct compiler *cc, const struct node *n, const char *text,
			      size_t limit)
{
	bool undefined = false;
	const char *field =
		strchr(text, '"') ? unquoted(cc, text) : macro_field(cc, text, &undefined);

	if (undefined)
		desc_invalid(cc, n, "Undefined macro variable in probe description");
	if (strlen(field) >= limit)
		desc_invalid(cc, n, "File name too long");
	return intern_str(&cc->session->intern, field);
}

/* Up to a colon that stands in no quotes. */
static size_t field_length(const char *s)
{
	const char *p = s;
	bool is_quoted = false;

	for (; *p && (is_quoted || *p != ':'); p++) {
		if (is_quoted && *p == '\\' && p[1] == '"')
			p++;
		else if (*p == '"')
			is_quoted = !is_quoted;
	}
	return (size_t)(p - s);
}

/* The fields of a description in `at` and `len`; more than `max` are counted only. */
static unsigned split_desc(const char *s, unsigned max, const char **at, size_t *len)
{
	unsigned n = 0;

	for (;; s++, n++) {
		size_t l = field_length(s);

		if (n < max) {
			at[n] = s;
			len[n] = l;
		}
		s += l;
		if (!*s)
			return n + 1;
	}
}

/*
 * pid1:a.out:ns::Class::method:entry: of a process, where all fields are there, the function may
 * hold pairs of colons. False: that is not how the surplus fields come about.
 */
static bool take_scoped_function(const char *s, unsigned level, const char **at, size_t *len)
{
	const char *end = level == 4 ? strrchr(s, ':') : s + strlen(s);

	if (level < 3 || strchr(s, '"') ||
	    (strncmp(s, "pid", 3) != 0 && strncmp(s, "fpid", 4) != 0))
		return false;
	for (const char *p = at[2]; p < end; p++) {
		if (*p == ':' && (p == at[2] || p[1] != ':' || p + 2 >= end || p[2] == ':'))
			return false;
		p += *p == ':';
	}
	len[2] = (size_t)(end - at[2]);
	at[3] = end + 1;
	len[3] = level == 4 ? strlen(at[3]) : 0;
	return true;
}

static void desc_by_name(struct compiler *cc, struct node *n)
{
	static const size_t limits[] = {64, 64, 192, 64};
	unsigned level = desc_level(cc->src->kind), nfields;
	const char **slots[] = {&n->desc->prov, &n->desc->mod, &n->desc->func, &n->desc->name};
	const char *at[4];
	size_t len[4];

	nfields = split_desc(n->desc_text, level, at, len);
	if (nfields > level && !take_scoped_function(n->desc_text, level, at, len))
		desc_invalid(cc, n, "Overspecified probe description");
	nfields = MIN(nfields, level);
	for (unsigned i = 0; i < 4; i++)
		*slots[i] = "";
	for (unsigned i = 0; i < nfields; i++) {
		unsigned slot = level - nfields + i;

		*slots[slot] =
			desc_field(cc, n, arena_strndup(cc->arena, at[i], len[i]), limits[slot]);
	}
}

static void desc_by_id(struct compiler *cc, struct node *n, uint64_t id)
{
	static const char *const levels[] = {"", "providers", "modules", "functions"};
	unsigned level = desc_level(cc->src->kind);

	if (level < 4)
		compile_fail(cc, D_PDESC_INVAL, n->line,
			     "probe identifier %llu not permitted when specifying %s",
			     (unsigned long long)id, levels[level]);
	if (id == 0 || id > UINT32_MAX)
		compile_fail(cc, D_PDESC_INVAL, n->line,
			     "invalid probe identifier %llu: Unknown probe identifier",
			     (unsigned long long)id);
	n->desc->id = (uint32_t)id;
	n->desc->prov = n->desc->mod = n->desc->func = n->desc->name = "";
}

static struct node *parse_pspec(struct compiler *cc)
{
	const struct token *t = lex_peek(cc);
	struct node *n = node_new(cc->arena, NODE_PDESC, t->line);

	if (t->kind != TOK_SPEC && t->kind != TOK_INT)
		syntax_error(cc);
	n->at = t->text;
	n->desc = ARENA_NEW(cc->arena, struct probe_desc);
	n->desc_text = arena_strndup(cc->arena, t->text, t->len);
	if (t->kind == TOK_INT)
		desc_by_id(cc, n, t->value);
	else
		desc_by_name(cc, n);
	lex_skip(cc);
	return n;
}

/* ---- clauses ---- */

static bool is_script(const struct compiler *cc)
{
	return cc->src->kind == SOURCE_SCRIPT;
}

/* "/" expr "/", the first slash is read */
static struct node *parse_predicate(struct compiler *cc)
{
	struct node *n;

	lex_enter(cc, LEX_CLAUSE, 0);
	n = parse_expr(cc);
	if (peek(cc) != TOK_EPRED)
		syntax_error(cc);
	lex_skip(cc);
	lex_enter(cc, LEX_OUTER, 0);
	if (peek(cc) == TOK_END && is_script(cc))
		compile_fail(cc, D_SYNTAX, cc->line, "syntax error near end-of-input");
	if (peek(cc) != '{')
		compile_fail(cc, D_SYNTAX, cc->line,
			     "expected actions { } following probe description and predicate");
	return n;
}

/* clause = pspecs [ [ "/" expr "/" ] "{" stmts "}" ] */
static struct node *parse_clause(struct compiler *cc)
{
	struct node *n = node_new(cc->arena, NODE_CLAUSE, lex_peek(cc)->line);
	struct chain specs = {0};

	do
		chain_add(&specs, parse_pspec(cc));
	while (parse_accept(cc, ','));
	n->args = specs.first;
	if (parse_accept(cc, '/'))
		n->expr = parse_predicate(cc);
	if (parse_accept(cc, '{')) {
		lex_enter(cc, LEX_CLAUSE, 1);
		n->has_body = true;
		n->body = parse_stmts(cc);
		n->line = lex_peek(cc)->line;
		lex_skip(cc);
		lex_enter(cc, LEX_OUTER, 0);
		return n;
	}
	if (peek(cc) != TOK_SPEC && peek(cc) != TOK_INT && peek(cc) != TOK_END &&
	    !keyword_flags(peek(cc)) && peek(cc) != TOK_TNAME)
		syntax_error(cc);
	if (is_script(cc))
		compile_fail(cc, D_SYNTAX, cc->line,
			     "expected predicate and/or actions following probe description");
	return n;
}

static bool begins_declaration(int kind)
{
	switch (kind) {
	case TOK_TNAME:
	case KEY_auto:
	case KEY_extern:
	case KEY_register:
	case KEY_self:
	case KEY_static:
	case KEY_this:
	case KEY_typedef:
		return true;
	default:
		return keyword_flags(kind) & KW_TYPE;
	}
}

struct node *parse_program(struct compiler *cc, bool *has_inline)
{
	struct chain clauses = {0};
	struct lexer *lx = ARENA_NEW(cc->arena, struct lexer);

	lex_init(lx, cc->src->text, cc->src->length);
	lx->spec_first = !is_script(cc) || opt_on(&cc->session->options, OPT_PSPEC);
	cc->lex = lx;
	*has_inline = false;
	while (peek(cc) != TOK_END) {
		int kind = peek(cc);

		if (kind == KEY_inline) {
			decl_inline(cc);
			*has_inline = true;
		} else if (kind == KEY_translator) {
			xlate_declaration(cc);
			*has_inline = true;
		} else if (kind == KEY_provider) {
			prov_declaration(cc);
			*has_inline = true;
		} else if (begins_declaration(kind)) {
			decl_declaration(cc);
		} else {
			chain_add(&clauses, parse_clause(cc));
		}
	}
	return clauses.first;
}

const struct type *parse_type(struct compiler *cc, const char *text)
{
	struct lexer *lx = ARENA_NEW(cc->arena, struct lexer), *const before = cc->lex;
	const struct type *volatile type = NULL;
	const int line = cc->line;
	struct err *const err = cc->err;
	struct err ignored;
	jmp_buf fail;

	memcpy(&fail, &cc->fail, sizeof(fail));
	lex_init(lx, text, strlen(text));
	lx->state = LEX_CLAUSE;
	lx->in_decl = true;
	cc->lex = lx;
	cc->err = &ignored;
	if (setjmp(cc->fail) == 0) {
		type = decl_typename(cc);
		parse_expect(cc, TOK_END);
	} else {
		type = NULL;
	}
	memcpy(&cc->fail, &fail, sizeof(fail));
	cc->err = err;
	cc->lex = before;
	cc->line = line;
	return type;
}
