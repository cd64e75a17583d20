/*
 * decl.h: what the parser (parse.c, parseexpr.c) and decl.c (types, declarations) need of each
 * other. Private to the compiler. Each function reads from the next token on, and leaves the first
 * token it does not understand. Declarations act at once on cc->types and cc->idents.
 */
#ifndef DLANG_PARSE_DECL_H
#define DLANG_PARSE_DECL_H

#include "dlang/parse/lex.h"

struct param {
	const char *name; /* NULL: none was written */
	const struct type *type;
	bool is_array; /* it has keys: type is that of its elements */
	struct param *next;
};

/* decl.c, declspec.c, declarator.c */
bool decl_begins_type(struct compiler *);	     /* the next token begins a type */
const struct type *decl_typename(struct compiler *); /* in casts, sizeof, offsetof */
/* One parameter, with or without a name. */
struct param *decl_param(struct compiler *);
/* After "(": what a probe takes, up to the closing parenthesis. */
struct param *decl_params(struct compiler *, unsigned *n);
void decl_declaration(struct compiler *); /* to its semicolon */
void decl_inline(struct compiler *);	  /* from the word `inline` to its semicolon */

/* parseexpr.c */
struct node *parse_assign(struct compiler *); /* an expression without commas */
struct node *parse_cond(struct compiler *);   /* a constant expression */
/* parse.c */
void parse_expect(struct compiler *, int kind); /* skips it, or is a syntax error */
bool parse_accept(struct compiler *, int kind); /* skips it if it is there */
/* Nested more deeply than the stack should bear? Every recursion of the grammar is counted. */
void parse_deeper(struct compiler *);
void parse_shallower(struct compiler *);

#endif
