#include "dlang/parse/lex_priv.h"

#include <ctype.h>
#include <limits.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "dlang/parse/check.h"
#include "dlang/parse/hint.h"

/* clang-format off */
static const struct keyword {
	const char *word;
	size_t len;
	int kind;
	unsigned flags;
} keywords[] = {
#define KEYWORD(word, flags) {#word, sizeof(#word) - 1, KEY_##word, flags},
#include "dlang/parse/keywords.def"
#undef KEYWORD
};

/* Longer ones first: the first that fits is taken. */
static const struct punct {
	char text[4];
	int kind;
} puncts[] = {
	{"<<=", TOK_LSH_EQ}, {">>=", TOK_RSH_EQ}, {"...", TOK_ELLIPSIS},
	{"->", TOK_PTR}, {"++", TOK_INC}, {"--", TOK_DEC}, {"<<", TOK_LSH}, {">>", TOK_RSH},
	{"<=", TOK_LE}, {">=", TOK_GE}, {"==", TOK_EQ}, {"!=", TOK_NE}, {"&&", TOK_LAND},
	{"||", TOK_LOR}, {"^^", TOK_LXOR}, {"+=", TOK_ADD_EQ}, {"-=", TOK_SUB_EQ},
	{"*=", TOK_MUL_EQ}, {"/=", TOK_DIV_EQ}, {"%=", TOK_MOD_EQ}, {"&=", TOK_AND_EQ},
	{"|=", TOK_OR_EQ}, {"^=", TOK_XOR_EQ},
};
/* clang-format on */

void lex_init(struct lexer *lx, const char *text, size_t length)
{
	memset(lx, 0, sizeof(*lx));
	lx->next = text;
	lx->end = text + length;
	lx->line = 1;
	lx->line_start = true;
}

void lex_enter(struct compiler *cc, enum lex_state state, unsigned nbraces)
{
	struct lexer *lx = cc->lex;

	lx->state = state;
	lx->nparens = lx->nbracks = 0;
	lx->nbraces = nbraces;
}

static bool is_word_start(int c)
{
	return c >= 0 && (isalpha(c) || c == '_' || c == '`' || c >= 0x80);
}

/* UTF-8 included: programs have such names. */
static bool is_word(int c)
{
	return c >= 0 && (isalnum(c) || c == '_' || c == '`' || c >= 0x80);
}

static bool is_spec(int c, bool first)
{
	if (c < 0)
		return false;
	if (isalpha(c) || c >= 0x80 || (c && strchr("-$:_.?*\\[]!", c)))
		return true;
	return !first && (isdigit(c) || (c && strchr("`<>~", c)));
}

/* ---- what is between tokens ---- */

static void skip_comment(struct compiler *cc)
{
	struct lexer *lx = cc->lex;

	for (lx->next += 2;; lx->next++) {
		int c = ahead(lx, 0);

		if (c < 0)
			compile_fail(cc, D_SYNTAX, lx->line,
				     "end-of-file encountered before matching */");
		if (c == '\n')
			lx->line++;
		if (c == '/' && ahead(lx, 1) == '*')
			compile_fail(cc, D_SYNTAX, lx->line, "/* encountered inside a comment");
		if (c == '*' && ahead(lx, 1) == '/')
			break;
	}
	lx->next += 2;
}

static void read_control_line(struct compiler *cc)
{
	struct lexer *lx = cc->lex;
	const char *text = ++lx->next;
	int line = lx->line;

	for (; ahead(lx, 0) >= 0 && ahead(lx, 0) != '\n'; lx->next++) {
		if (ahead(lx, 0) == '\\' && ahead(lx, 1) == '\n') {
			lx->next++;
			lx->line++;
		}
	}
	if (ahead(lx, 0) < 0 && *text != '!')
		compile_fail(cc, D_SYNTAX, lx->line,
			     "end-of-file encountered before end of control line");
	lx->next_line = 0;
	cc->line = line;
	cc->at = text;
	control_line(cc, text, (size_t)(lx->next - text), line);
	cc->at = NULL;
	if (ahead(lx, 0) == '\n') {
		lx->next++;
		lx->line++;
	}
	if (lx->next_line)
		lx->line = lx->next_line;
	lx->line_start = true;
}

/* What a header of the C library has for GNU C alone; false: none is next. */
static bool skip_gnu(struct lexer *lx)
{
	const char *past = gnu_skip(lx->next, lx->end, lx->state == LEX_OUTER);

	if (past == lx->next)
		return false;
	for (; lx->next < past; lx->next++)
		lx->line += *lx->next == '\n';
	return true;
}

static void skip_blanks(struct compiler *cc)
{
	struct lexer *lx = cc->lex;

	for (;;) {
		int c = ahead(lx, 0);

		if (lx->in_system && skip_gnu(lx))
			continue;
		if (c == '\n') {
			lx->line++;
			lx->line_start = true;
			lx->next++;
		} else if (lex_is_blank(c)) {
			lx->next++;
		} else if (c == '\\' && ahead(lx, 1) == '\n') {
			lx->line++;
			lx->next += 2;
		} else if (c == '/' && ahead(lx, 1) == '*') {
			skip_comment(cc);
		} else if (c == '#' && lx->line_start) {
			read_control_line(cc);
		} else {
			lx->line_start = false;
			return;
		}
	}
}

/* The first character that is no blank, from n on; *line grows by the newlines before it. */
static int next_visible(const struct lexer *lx, size_t n, int *line)
{
	for (; lex_is_blank(ahead(lx, n)); n++)
		if (ahead(lx, n) == '\n')
			++*line;
	return ahead(lx, n);
}

/* ---- tokens ---- */

static const struct keyword *keyword_find(const struct lexer *lx, const char *s, size_t n)
{
	if (lx->in_system)
		gnu_spelling(&s, &n);
	for (unsigned i = 0; i < ARRAY_SIZE(keywords); i++)
		if (keywords[i].len == n && *keywords[i].word == *s &&
		    memcmp(keywords[i].word, s, n) == 0)
			return &keywords[i];
	return NULL;
}

unsigned keyword_flags(int kind)
{
	for (unsigned i = 0; i < ARRAY_SIZE(keywords); i++)
		if (keywords[i].kind == kind)
			return keywords[i].flags;
	return 0;
}

static size_t count_blanks(const struct lexer *lx)
{
	size_t n = 0;

	while (lex_is_blank(ahead(lx, n)))
		n++;
	return n;
}

static bool is_assigned(const struct lexer *lx)
{
	size_t n = count_blanks(lx);

	return ahead(lx, n) == '=' && ahead(lx, n + 1) != '=';
}

/* Not a type after all: a variable of that name is about to be changed or indexed. */
static bool used_as_variable(const struct lexer *lx)
{
	size_t n = count_blanks(lx);
	int c = ahead(lx, n);

	if (c == '+' || c == '-')
		return ahead(lx, n + 1) == c;
	return c == '[' || is_assigned(lx);
}

/* After the word: tok->string is set. The reader looks further at words that may be types: an error
 * shows how far. */
static int ident_or_type(struct compiler *cc, struct token *t)
{
	struct lexer *lx = cc->lex;

	if (!lx->in_decl && ident_find(cc->idents, SCOPE_GLOBAL, t->string))
		return TOK_IDENT;
	t->shows_rest = !lx->in_decl && !is_assigned(lx);
	if (!types_lookup(cc->types, t->string))
		return TOK_IDENT;
	return !lx->in_decl && used_as_variable(lx) ? TOK_IDENT : TOK_TNAME;
}

/*
 * The length of what is a module name in front of a backquote, from place `at` on: a.out`x,
 * libfoo.so.1`x, pid123`libfoo.so`x. 0: no backquote follows. Names of libraries may hold - and +,
 * which are otherwise operators; no file's name is longer than NAME_MAX.
 */
static size_t module_length(const struct lexer *lx, size_t at)
{
	bool has_dot = false, has_operator = false, is_library = false;
	size_t n = at;
	int c;

	for (; (c = ahead(lx, n)) > 0 && (isalnum(c) || strchr("_.-+", c)); n++) {
		if (n - at > NAME_MAX)
			return 0;
		has_dot |= c == '.';
		has_operator |= c == '-' || c == '+';
		is_library |= c == '.' && ahead(lx, n + 1) == 's' && ahead(lx, n + 2) == 'o';
	}
	if (c != '`' || !has_dot || (has_operator && !is_library) ||
	    !is_word_start(ahead(lx, n + 1)))
		return 0;
	return n + 1 - at;
}

static size_t word_length(const struct lexer *lx)
{
	size_t n = module_length(lx, 0);

	if (!n)
		n = 1;
	while (is_word(ahead(lx, n))) {
		n++;
		if (ahead(lx, n - 1) == '`')
			n += module_length(lx, n);
	}
	return n;
}

#define MAX_TEMPLATE 65536 /* characters: else a program of many `<` is read again for each */

/* The arguments of a template, `<` to `>`; 0: it is not closed in this expression. */
static size_t template_length(const struct lexer *lx, size_t at)
{
	unsigned depth = 0;
	size_t n = at;
	int c;

	for (; (c = ahead(lx, n)) > 0 && !strchr(";{}\"", c) && n - at < MAX_TEMPLATE; n++) {
		depth += c == '<';
		if (c == '>' && --depth == 0)
			return n + 1 - at;
	}
	return 0;
}

/*
 * What belongs to a word of another language: ns::count, and where only a tag can stand, Box<int>
 * and package.Type.
 */
static size_t scoped_length(const struct lexer *lx, size_t n, bool is_tag)
{
	size_t more;

	for (;;) {
		int c = ahead(lx, n);

		if (c == ':' && ahead(lx, n + 1) == ':' && is_word_start(ahead(lx, n + 2)))
			n += 3;
		else if (is_tag && (c == '.' || c == '/') && is_word_start(ahead(lx, n + 1)))
			n += 2;
		else if (is_tag && c == '<' && (more = template_length(lx, n)) > 0)
			n += more;
		else
			return n;
		while (is_word(ahead(lx, n)))
			n++;
	}
}

static int lex_word(struct compiler *cc)
{
	struct lexer *lx = cc->lex;
	const struct keyword *kw;
	size_t n = word_length(lx);

	kw = keyword_find(lx, lx->next, n);
	if (kw)
		return take(lx, n, kw->kind);
	n = scoped_length(lx, n, lx->after_tag);
	lx->tok.string = arena_strndup(cc->arena, lx->next, n);
	take(lx, n, TOK_IDENT);
	return ident_or_type(cc, &lx->tok);
}

static int lex_agg(struct compiler *cc)
{
	struct lexer *lx = cc->lex;
	size_t n = 1;

	if (is_word_start(ahead(lx, 1)) && ahead(lx, 1) != '`')
		while (is_word(ahead(lx, n)) && ahead(lx, n) != '`')
			n++;
	lx->tok.string = n > 1 ? arena_strndup(cc->arena, lx->next + 1, n - 1) : "_";
	return take(lx, n, TOK_AGG);
}

static int lex_macro(struct compiler *cc)
{
	struct lexer *lx = cc->lex;
	size_t start = ahead(lx, 1) == '$' ? 2 : 1, n = start;

	if (ahead(lx, n) >= 0 && isdigit(ahead(lx, n)))
		while (ahead(lx, n) >= 0 && isdigit(ahead(lx, n)))
			n++;
	else
		while (is_word(ahead(lx, n)) && ahead(lx, n) != '`')
			n++;
	if (n == start)
		return take(lx, 1, '$');
	take(lx, n, TOK_INT);
	macro_token(cc, &lx->tok);
	return lx->tok.kind == TOK_IDENT ? ident_or_type(cc, &lx->tok) : lx->tok.kind;
}

/* docs/spec/d-language.md §1.11: a slash before
 * `{`, `;`, `/` or the end ends a predicate; the message's line is where the look-ahead ended. */
static int lex_slash(struct compiler *cc)
{
	struct lexer *lx = cc->lex;
	int line = lx->line, c = next_visible(lx, 1, &line);

	lx->tok.shows_rest = true;
	if (c >= 0 && c != '{' && c != ';' && c != '/')
		return take(lx, 1, '/');
	if (lx->nparens || lx->nbracks)
		compile_fail(cc, D_SYNTAX, lx->line, "closing %c expected in predicate before /",
			     lx->nparens ? ')' : ']');
	lx->tok.line = line;
	return take(lx, 1, TOK_EPRED);
}

static void close_bracket(struct compiler *cc, unsigned *open, int c)
{
	if (*open == 0)
		compile_fail(cc, D_SYNTAX, cc->lex->line, "extra %c in input stream", c);
	--*open;
}

static void count_bracket(struct compiler *cc, int c)
{
	struct lexer *lx = cc->lex;

	switch (c) {
	case '(':
		lx->nparens++;
		break;
	case '[':
		lx->nbracks++;
		break;
	case '{':
		lx->nbraces++;
		break;
	case ')':
		close_bracket(cc, &lx->nparens, c);
		break;
	case ']':
		close_bracket(cc, &lx->nbracks, c);
		break;
	case '}':
		close_bracket(cc, &lx->nbraces, c);
		break;
	}
}

static int lex_punct(struct compiler *cc, int c)
{
	struct lexer *lx = cc->lex;

	for (unsigned i = 0; i < ARRAY_SIZE(puncts); i++) {
		size_t n = strlen(puncts[i].text);

		if (*puncts[i].text == c && (size_t)(lx->end - lx->next) >= n &&
		    memcmp(lx->next, puncts[i].text, n) == 0)
			return take(lx, n, puncts[i].kind);
	}
	if (c == '/')
		return lex_slash(cc);
	count_bracket(cc, c);
	return take(lx, 1, c);
}

static int lex_clause(struct compiler *cc)
{
	struct lexer *lx = cc->lex;
	int c = ahead(lx, 0);

	if (is_word_start(c))
		return lex_word(cc);
	if (lex_is_float(lx))
		compile_fail(cc, D_SYNTAX, lx->line, "floating-point constants are not permitted");
	if (isdigit(c))
		return lex_number(cc);
	switch (c) {
	case '"':
		return lex_string(cc);
	case '\'':
		return lex_char(cc);
	case '@':
		return lex_agg(cc);
	case '$':
		return lex_macro(cc);
	default:
		return lex_punct(cc, c);
	}
}

/* How long a quoted name of a specifier is, at `n`, with its quotes: "main.(*P).Dist". It ends in
 * its line. */
static size_t quoted_name_length(struct compiler *cc, size_t n)
{
	struct lexer *lx = cc->lex;
	size_t from = n++;

	for (int c; (c = ahead(lx, n)) != '"'; n++) {
		if (c < 0 || c == '\n')
			compile_fail(cc, D_SYNTAX, lx->line,
				     "a quoted name in a probe description does not end");
		n += c == '\\' && ahead(lx, n + 1) == '"';
	}
	return n + 1 - from;
}

static size_t spec_length(struct compiler *cc)
{
	struct lexer *lx = cc->lex;
	size_t n = 0;

	for (int c; (c = ahead(lx, n)) == '"' || is_spec(c, !n);)
		n += c == '"' ? quoted_name_length(cc, n) : 1;
	return n;
}

/* A type of the traced program; asked for only where something to declare follows. */
static bool names_target_type(struct compiler *cc, const char *name, size_t len)
{
	struct lexer *lx = cc->lex;
	size_t n = len;

	for (const char *p = name; *p; p++)
		if (!is_word((unsigned char)*p) && !strchr("`.-+", *p))
			return false;
	while (lex_is_blank(ahead(lx, n)))
		n++;
	return (ahead(lx, n) == '*' || (n > len && is_word_start(ahead(lx, n)))) &&
	       target_type(cc, name);
}

/* A specifier, unless it begins a declaration (docs/spec/d-language.md §1.1). */
static int lex_outer_word(struct compiler *cc)
{
	struct lexer *lx = cc->lex;
	const struct keyword *kw;
	const char *word, *star;
	size_t n = spec_length(cc);

	kw = keyword_find(lx, lx->next, n);
	if (kw && (kw->flags & KW_OUTER))
		return take(lx, n, kw->kind);
	word = arena_strndup(cc->arena, lx->next, n);
	if (!lx->spec_first && !opt_on(&cc->session->options, OPT_PSPEC)) {
		size_t upto = (star = strchr(word, '*')) && star > word ? (size_t)(star - word) : n;
		char *name = arena_strndup(cc->arena, word, upto);

		kw = keyword_find(lx, name, upto);
		if (kw && (kw->flags & KW_OUTER))
			return take(lx, upto, kw->kind);
		if (!strchr(name, ':') &&
		    (types_lookup(cc->types, name) || names_target_type(cc, name, upto))) {
			lx->tok.string = name;
			return take(lx, upto, TOK_TNAME);
		}
	}
	lx->tok.string = word;
	return take(lx, n, TOK_SPEC);
}

static int lex_outer(struct compiler *cc)
{
	struct lexer *lx = cc->lex;
	int c = ahead(lx, 0);

	if (is_spec(c, true) || c == '"')
		return lex_outer_word(cc);
	if (isdigit(c))
		return lex_number(cc);
	lx->tok.shows_rest = c == '/' && ahead(lx, 1) == '/'; /* no comment */
	return take(lx, 1, c);
}

const struct token *lex_peek(struct compiler *cc)
{
	struct lexer *lx = cc->lex;
	struct token *t = &lx->tok;

	if (lx->have_tok)
		return t;
	skip_blanks(cc);
	memset(t, 0, sizeof(*t));
	t->text = lx->next;
	cc->line = t->line = lx->line;
	if (ahead(lx, 0) < 0)
		t->kind = TOK_END;
	else
		t->kind = lx->state == LEX_OUTER ? lex_outer(cc) : lex_clause(cc);
	cc->line = t->line;
	lx->after_tag = t->kind == KEY_struct || t->kind == KEY_union || t->kind == KEY_enum;
	lx->have_tok = true;
	return t;
}

void lex_skip(struct compiler *cc)
{
	lex_peek(cc);
	cc->lex->have_tok = false;
}

enum cast lex_is_cast(struct compiler *cc)
{
	const struct token *t = lex_peek(cc);
	const char *p = t->text + t->len, *end = cc->lex->end;
	bool has_star = false;

	for (; p < end && (lex_is_blank((unsigned char)*p) || *p == '*'); p++)
		has_star |= *p == '*';
	if (p == end || *p != ')')
		return CAST_NO;
	for (p++; p < end && lex_is_blank((unsigned char)*p); p++)
		;
	if (has_star || (p < end && (is_word((unsigned char)*p) || strchr("(\"'$@", *p))))
		return CAST_YES;
	return p < end && *p && strchr("-+&*~!", *p) ? CAST_PERHAPS : CAST_NO;
}

void syntax_error(struct compiler *cc)
{
	const struct token *t = lex_peek(cc);
	size_t len = t->len;

	cc->hint = cc->src->text ? hint_text(cc->arena, cc->src->text) : NULL;
	if (t->kind == TOK_END)
		compile_fail(cc, D_SYNTAX, t->line, "syntax error near end of input");
	if (t->shows_rest)
		while (t->text + len < cc->lex->end && t->text[len] && t->text[len] != '\n')
			len++;
	compile_fail(cc, D_SYNTAX, t->line, "syntax error near \"%.*s\"", (int)MIN(len, 512),
		     t->text);
}
