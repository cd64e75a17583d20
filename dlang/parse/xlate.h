/*
 * xlate.h: translators (docs/spec/d-language.md §16.3): how the members of a stable structure are
 * made from a value of another type. They are inlines with one parameter, one for each member: what
 * reads a member puts the member's definition in its place. Private to the compiler.
 */
#ifndef DLANG_PARSE_XLATE_H
#define DLANG_PARSE_XLATE_H

#include "dlang/parse/compiler.h"

/* One `member = expr;`. */
struct xlate_member {
	const char *name;
	struct node *expr; /* checked; the input is a NODE_VAR of xlator.input */
	struct attr attr;  /* the weakest of what it reads */
	int line;
	struct xlate_member *next;
};

struct xlator {
	const struct type *out; /* as written; resolves to a structure or union */
	struct ident *input;	/* its name and type inside the definitions */
	struct xlate_member *members, **tail;
	struct xlator *next;
};

/*
 * The translator from a value of type `in` to `out` (a structure, or a pointer to one): one of just
 * these types, else one that is the same but for typedefs and qualifiers. NULL: none.
 */
const struct xlator *xlator_find(const struct compiler *, const struct type *in,
				 const struct type *out);

/* From the word `translator` to the semicolon. */
void xlate_declaration(struct compiler *);

/* NODE_XLATE: finds its translator. The node is dynamic: only its members have values. */
struct node *xlate_check(struct compiler *, struct node *);
/* `.` or `->` on a NODE_XLATE: the node becomes the member's definition. */
struct node *xlate_check_member(struct compiler *, struct node *);
/* A NODE_XLATE of a structure where a whole one is wanted: a copy with every member translated. */
void xlate_whole(struct node *);

#endif
