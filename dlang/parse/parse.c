/*
 * parse.c: the grammar of docs/spec/d-language.md §2, one function per rule: statements, clauses
 * and the whole program. Builds raw trees.
 */
#include "dlang/parse/parse_priv.h"
#include "dlang/parse/provdecl.h"
#include "dlang/parse/xlate.h"

/* ---- small things ---- */

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
	parse_set_depth(cc, n, e);
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

static int last_line(const struct node *list)
{
	while (list->next)
		list = list->next;
	return list->line;
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
		compile_fail(cc, D_SYNTAX, last_line(specs.first),
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
	lx->spec_first = !is_script(cc);
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
