/*
 * lexliteral.c: integer constants, strings and characters.
 */
#include "dlang/parse/lex_priv.h"

#include <ctype.h>
#include <unistd.h>

const struct type *int_const_type(const struct types *ts, uint64_t value, bool is_decimal,
				  bool is_unsigned, unsigned nlongs)
{
	const struct type *const by_rank[3][2] = {
		{ts->t_int, ts->t_uint}, {ts->t_long, ts->t_ulong}, {ts->t_llong, ts->t_ullong}};

	for (unsigned rank = nlongs; rank < 3; rank++) {
		uint64_t max = by_rank[rank][0]->size == 8 ? UINT64_MAX : UINT32_MAX;

		if (!is_unsigned && value <= max / 2)
			return by_rank[rank][0];
		if ((is_unsigned || !is_decimal) && value <= max)
			return by_rank[rank][1];
	}
	return NULL;
}

static void constant_type(struct compiler *cc, bool is_decimal, bool is_unsigned, unsigned nlongs)
{
	struct token *t = &cc->lex->tok;

	t->type = int_const_type(cc->types, t->value, is_decimal, is_unsigned, nlongs);
	if (!t->type)
		compile_fail(cc, D_INT_OFLOW, t->line,
			     "integer constant 0x%llx cannot be represented in any built-in "
			     "integral type",
			     (unsigned long long)t->value);
}

static void int_value(struct compiler *cc, size_t ndigits, unsigned base)
{
	struct token *t = &cc->lex->tok;
	uint64_t value = 0;

	for (size_t i = base == 16 ? 2 : 0; i < ndigits; i++) {
		int c = (unsigned char)t->text[i];
		unsigned digit = (unsigned)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);

		if (digit >= base)
			compile_fail(cc, D_INT_DIGIT, t->line,
				     "constant %.*s contains invalid digit %c", (int)t->len,
				     t->text, c);
		if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit, &value))
			compile_fail(cc, D_INT_OFLOW, t->line,
				     "constant %.*s results in integer overflow", (int)t->len,
				     t->text);
	}
	t->value = value;
}

/* What begins here is a floating-point constant. */
bool lex_is_float(const struct lexer *lx)
{
	size_t n = 0;
	int c;

	while (ahead(lx, n) >= 0 && isdigit(ahead(lx, n)))
		n++;
	c = ahead(lx, n);
	if (c == '.')
		return n > 0 || (ahead(lx, 1) >= 0 && isdigit(ahead(lx, 1)));
	if (n == 0 || (c != 'e' && c != 'E'))
		return false;
	c = ahead(lx, n + 1);
	if (c == '+' || c == '-')
		c = ahead(lx, n + 2);
	return c >= 0 && isdigit(c);
}

int lex_number(struct compiler *cc)
{
	struct lexer *lx = cc->lex;
	unsigned base = 10, nlongs = 0;
	bool is_unsigned = false;
	size_t n = 0, ndigits;

	if (ahead(lx, 0) == '0' && (ahead(lx, 1) | 0x20) == 'x' && ahead(lx, 2) >= 0 &&
	    isxdigit(ahead(lx, 2))) {
		base = 16;
		for (n = 2; ahead(lx, n) >= 0 && isxdigit(ahead(lx, n));)
			n++;
	} else {
		while (ahead(lx, n) >= 0 && isdigit(ahead(lx, n)))
			n++;
		if (n > 1 && ahead(lx, 0) == '0')
			base = 8;
	}
	ndigits = n;
	if (ahead(lx, n) == 'u' || ahead(lx, n) == 'U') {
		is_unsigned = true;
		n++;
	}
	for (; nlongs < 2 && (ahead(lx, n) == 'l' || ahead(lx, n) == 'L'); nlongs++)
		n++;
	take(lx, n, TOK_INT);
	int_value(cc, ndigits, base);
	constant_type(cc, base == 10, is_unsigned, nlongs);
	return TOK_INT;
}

static unsigned unescape_octal(const char *s, size_t n, size_t *i)
{
	unsigned v = 0;

	for (size_t k = 0; k < 3 && *i < n && s[*i] >= '0' && s[*i] <= '7'; k++)
		v = v * 8 + (unsigned)(s[(*i)++] - '0');
	return v;
}

static unsigned unescape_hex(const char *s, size_t n, size_t *i)
{
	unsigned v = 0;

	for (; *i < n && isxdigit((unsigned char)s[*i]); ++*i) {
		int c = tolower((unsigned char)s[*i]);

		v = v * 16 + (unsigned)(isdigit(c) ? c - '0' : c - 'a' + 10);
	}
	return v;
}

/* Escapes (docs/spec/d-language.md §1.8) in n characters at s; out has room for n + 1. Returns the
 * number of bytes. */
static size_t unescape(const char *s, size_t n, char *out)
{
	static const char names[] = "abfnrtv\"\\", values[] = "\a\b\f\n\r\t\v\"\\";
	size_t len = 0;

	for (size_t i = 0; i < n;) {
		const char *name;

		if (s[i] != '\\' || i + 1 == n) {
			out[len++] = s[i++];
			continue;
		}
		i++;
		name = s[i] ? strchr(names, s[i]) : NULL;
		if (name) {
			out[len++] = values[name - names];
			i++;
		} else if (s[i] >= '0' && s[i] <= '7') {
			out[len++] = (char)unescape_octal(s, n, &i);
		} else if (s[i] == 'x') {
			i++;
			out[len++] = (char)unescape_hex(s, n, &i);
		} else {
			out[len++] = '\\';
			out[len++] = s[i++];
		}
	}
	out[len] = '\0';
	return len;
}

/* Characters between quotes; -1: the closing one is missing, and *stop says what came instead. */
static ssize_t quoted_length(const struct lexer *lx, int quote, int *stop)
{
	size_t n = 1;

	for (;; n++) {
		*stop = ahead(lx, n);
		if (*stop == quote)
			return (ssize_t)n - 1;
		if (*stop < 0 || *stop == '\n')
			return -1;
		if (*stop != '\\')
			continue;
		*stop = ahead(lx, ++n);
		if (*stop < 0 || *stop == '\n') {
			*stop = '\\';
			return -1;
		}
	}
}

int lex_string(struct compiler *cc)
{
	struct lexer *lx = cc->lex;
	int stop;
	ssize_t n = quoted_length(lx, '"', &stop);
	char *text;

	if (n < 0 && stop == '\n')
		compile_fail(cc, D_STR_NL, lx->line + 1, "newline encountered in string literal");
	if (n < 0)
		return take(lx, 1, '"'); /* no token of the grammar: a syntax error */
	text = arena_alloc(cc->arena, (size_t)n + 1);
	unescape(lx->next + 1, (size_t)n, text);
	lx->tok.string = text;
	return take(lx, (size_t)n + 2, TOK_STR);
}

int lex_char(struct compiler *cc)
{
	struct lexer *lx = cc->lex;
	struct token *t = &lx->tok;
	int stop;
	ssize_t n = quoted_length(lx, '\'', &stop);
	char *bytes;
	size_t len;

	if (n < 0 && stop == '\n')
		compile_fail(cc, D_CHR_NL, lx->line + 1,
			     "newline encountered in character constant");
	if (n < 0)
		return take(lx, 1, '\'');
	if (n == 0)
		compile_fail(cc, D_CHR_NULL, t->line, "empty character constant");
	bytes = arena_alloc(cc->arena, (size_t)n + 1);
	len = unescape(lx->next + 1, (size_t)n, bytes);
	if (len > sizeof(t->value))
		compile_fail(cc, D_CHR_OFLOW, t->line, "character constant is too long");
	t->value = 0;
	for (size_t i = 0; i < len; i++)
		t->value = t->value << 8 | (unsigned char)bytes[i];
	take(lx, (size_t)n + 2, TOK_INT);
	constant_type(cc, true, false, 0);
	return TOK_INT;
}
