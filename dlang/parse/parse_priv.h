/*
 * parse_priv.h: what parse.c (statements, clauses), parseexpr.c (expressions) and parsedesc.c
 * (probe descriptions) share, and nobody else.
 */
#ifndef DLANG_PARSE_PARSE_PRIV_H
#define DLANG_PARSE_PARSE_PRIV_H

#include "dlang/parse/decl.h"

#define MAX_DEPTH 2000 /* of the grammar's recursion and of trees */

static inline int peek(struct compiler *cc)
{
	return lex_peek(cc)->kind;
}

/* A list that grows at its end. */
struct chain {
	struct node *first, **last;
};

static inline void chain_add(struct chain *c, struct node *n)
{
	if (!c->last)
		c->last = &c->first;
	*c->last = n;
	while (*c->last)
		c->last = &(*c->last)->next;
}

struct node *parse_expr(struct compiler *);
/* The depth of a node is more than that of its children: `child` and what follows it. */
void parse_set_depth(struct compiler *, struct node *, const struct node *child);
/* One probe description. */
struct node *parse_pspec(struct compiler *);

#endif
