/*
 * lex_priv.h: what lex.c (which token begins here) and lexliteral.c (constants) share, and nobody
 * else.
 */
#ifndef DLANG_PARSE_LEX_PRIV_H
#define DLANG_PARSE_LEX_PRIV_H

#include "dlang/parse/lex.h"

/* The character n places on; -1 after the end. NUL bytes are characters like any other. */
static inline int ahead(const struct lexer *lx, size_t n)
{
	return (size_t)(lx->end - lx->next) > n ? (unsigned char)lx->next[n] : -1;
}

/* The next n characters are a token of that kind. */
static inline int take(struct lexer *lx, size_t n, int kind)
{
	lx->tok.len = n;
	lx->next += n;
	return kind;
}

bool lex_is_float(const struct lexer *); /* a constant D does not have */
/* lexgnu.c: where what D does not know in a header of C ends; `p`: it does not begin here. */
const char *gnu_skip(const char *p, const char *end, bool is_outer);
/* GNU C's other spellings of keywords: __const, __signed__ lose their underscores. */
void gnu_spelling(const char **word, size_t *n);
/* Each reads the constant that begins here, and returns the kind of its token. */
int lex_number(struct compiler *);
int lex_string(struct compiler *);
int lex_char(struct compiler *);

#endif
