/*
 * parseexpr.c: the grammar of expressions, one function per rule. Names are not looked up here,
 * only operators whose operands are integer constants are folded at once, and a condition that is
 * constant chooses.
 */
#include "dlang/parse/parse_priv.h"

/* ---- nodes ---- */

void parse_set_depth(struct compiler *cc, struct node *n, const struct node *child)
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
	parse_set_depth(cc, n, left);
	parse_set_depth(cc, n, right);
	return n;
}

static bool is_folded1(enum node_op op)
{
	return op == OP_INEG || op == OP_IPOS || op == OP_BNEG || op == OP_LNEG;
}

static struct node *new_op1(struct compiler *cc, enum node_op op, struct node *operand)
{
	struct node *n = new_op(cc, NODE_OP1, op, operand, NULL);

	return is_folded1(op) && is_int(operand) ? fold(cc, n) : n;
}

static struct node *new_op2(struct compiler *cc, enum node_op op, struct node *left,
			    struct node *right)
{
	struct node *n = new_op(cc, NODE_OP2, op, left, right);

	return op <= OP_GE && is_int(left) && is_int(right) ? fold(cc, n) : n;
}

static bool is_constant_name(const struct compiler *cc, const char *name)
{
	const struct ident *id = ident_find(cc->idents, SCOPE_GLOBAL, name);

	return id && (id->kind == IDENT_ENUM || (id->kind == IDENT_INLINE && !id->nparams &&
						 id->expr && id->expr->kind == NODE_INT));
}

/* Nothing but integer constants, which inlines and enumerators may be the names of. */
static bool is_constant(const struct compiler *cc, const struct node *n)
{
	switch (n->kind) {
	case NODE_INT:
		return true;
	case NODE_IDENT:
		return is_constant_name(cc, n->string);
	case NODE_OP1:
		if (n->op == OP_SIZEOF)
			return n->left->kind == NODE_TYPE;
		return is_folded1(n->op) && is_constant(cc, n->left);
	case NODE_OP2:
		if (n->op == OP_CAST)
			return type_is_integer(n->left->type) && is_constant(cc, n->right);
		return n->op <= OP_GE && is_constant(cc, n->left) && is_constant(cc, n->right);
	default:
		return false;
	}
}

/* A constant condition chooses here: the other side is of no program, whatever it says. */
static struct node *new_op3(struct compiler *cc, struct node *cond, struct node *yes,
			    struct node *no)
{
	const struct node *chosen = is_constant(cc, cond) ? check_const(cc, cond) : NULL;
	struct node *n;

	if (chosen)
		return chosen->value ? yes : no;
	n = new_op(cc, NODE_OP3, OP_NONE, yes, no);
	n->expr = cond;
	n->at = cond->at;
	parse_set_depth(cc, n, cond);
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
		parse_set_depth(cc, base, args);
		return base;
	}
	n = new_op(cc, NODE_OP2, OP_INDEX, base, NULL);
	n->args = args;
	parse_set_depth(cc, n, args);
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
	if (designator->kind != NODE_IDENT)
		compile_fail(cc, D_FUNC_IDENT, n->end_line,
			     "function designator is not of function type");
	parse_set_depth(cc, n, designator);
	parse_set_depth(cc, n, n->args);
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
	int level; /* higher binds more tightly */
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
struct node *parse_expr(struct compiler *cc)
{
	struct node *n = parse_assign(cc), *right;

	while (parse_accept(cc, ',')) {
		right = parse_assign(cc);
		n = new_op2(cc, OP_COMMA, n, right);
	}
	return n;
}
