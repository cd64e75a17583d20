/*
 * decl_priv.h: how declarations are read: decl.c (variables, inlines), declspec.c (specifiers,
 * structures, enumerations), declarator.c (pointers, arrays, parameters), and nobody else.
 *
 * A declarator is read into steps, in the order in which they apply to the type of the specifiers:
 * `int *(*a[3])[4]` is pointer, array 4, pointer, array 3.
 */
#ifndef DLANG_PARSE_DECL_PRIV_H
#define DLANG_PARSE_DECL_PRIV_H

#include "dlang/parse/check.h"
#include "dlang/parse/decl.h"

enum { /* qualifiers */
       QUAL_CONST = 1 << 0,
       QUAL_VOLATILE = 1 << 1,
       QUAL_RESTRICT = 1 << 2,
       QUAL_USERLAND = 1 << 3,
};

struct spec {
	int storage; /* the keyword, or 0 */
	unsigned attrs, nlongs, quals;
	int base;		 /* KEY_void, KEY_char, ..., or 0 */
	const struct type *type; /* struct, enum, type name */
};

enum step_kind { STEP_POINTER, STEP_ARRAY, STEP_KEYS, STEP_FUNCTION };

struct step {
	enum step_kind kind;
	unsigned quals;	  /* pointers */
	bool is_empty;	  /* `[]` */
	bool is_flexible; /* of a header of C: the last member of a structure, of any length */
	uint64_t nelems;
	struct param *params;
	unsigned nparams;
	bool varargs, is_void;
	struct step *next;
};

struct declarator {
	const char *name; /* "" if abstract */
	struct step *steps;
};

static inline int decl_peek(struct compiler *cc)
{
	return lex_peek(cc)->kind;
}

/* Declarations are said to be on the line of the token that ends the declarator. */
static inline int decl_here(struct compiler *cc)
{
	return lex_peek(cc)->line;
}

/* declspec.c */
bool decl_is_storage(int kind); /* the token is a storage class */
void decl_specs(struct compiler *, struct spec *, bool with_storage);
const struct type *decl_spec_type(struct compiler *, const struct spec *);
const struct type *decl_qualify(struct compiler *, const struct type *, unsigned quals);
bool decl_is_whole(struct compiler *, const struct type *);
/* There can be a thing of that type; `what` it is stands in the message. */
void decl_check_object(struct compiler *, const struct type *, const char *name, const char *what);

/* declarator.c */
bool decl_is_void(const struct type *);
/* What stands behind the specifiers, whose type is `base`. Returns the type of the whole. */
const struct type *decl_declarator(struct compiler *, const struct spec *, const struct type *base,
				   struct declarator *, bool may_be_abstract);

#endif
