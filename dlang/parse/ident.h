/*
 * ident.h: names and what they stand for. Four namespaces per session: globals (with built-ins,
 * subroutines, actions, inlines, enumerators), self->, this->, and aggregations.
 */
#ifndef DLANG_PARSE_IDENT_H
#define DLANG_PARSE_IDENT_H

#include "symbols/dwarf/types.h"

struct node;

enum ident_kind {
	IDENT_SCALAR,
	IDENT_ARRAY,   /* associative array, or args[]/uregs[] */
	IDENT_PTR,     /* self, this */
	IDENT_SYMBOL,  /* `sym: reserved for the pid issue; resolving it fails with its tag */
	IDENT_ENUM,    /* value */
	IDENT_FUNC,    /* subroutine: row is a struct subr */
	IDENT_AGG,     /* row is the aggfunc, agg the variable */
	IDENT_AGGFUNC, /* row is a struct aggfunc */
	IDENT_ACTFUNC, /* row is a struct actfunc */
	IDENT_INLINE,  /* expr */
	IDENT_NKINDS
};

enum ident_scope { SCOPE_GLOBAL, SCOPE_SELF, SCOPE_THIS, SCOPE_AGG, SCOPE_NSCOPES };

/* Where a pointer leads (checkscratch.c). */
enum pointer_source { POINTER_UNKNOWN, POINTER_ELSEWHERE, POINTER_SCRATCH, POINTER_MIXED };

struct ident {
	const char *name;
	enum ident_kind kind;
	enum ident_scope scope;
	uint16_t id;			/* variable number in DIF: built-ins below 0x500 */
	const struct type *type;	/* NULL: not known yet (first assignment sets it) */
	const struct type *const *keys; /* arrays and aggregations; NULL: not known yet */
	unsigned nkeys;
	bool builtin, declared;	 /* declared: by a declaration, not by assignment */
	bool is_library;	 /* a library made it: the program cannot change what it is */
	int64_t version;	 /* #pragma D binding: of the language, from which on it is known */
	int line;		 /* of the first use */
	const struct attr *attr; /* stability; NULL: Stable/Stable/Common */
	const void *row;
	struct node *expr;     /* inline: its body */
	struct ident **params; /* inline with parameters */
	unsigned nparams;
	int64_t value;		    /* enumerator */
	enum pointer_source source; /* of the pointers that were assigned */
	struct aggvar *agg;
	bool is_proto_void; /* `int a[void]`, function declarators */
	bool is_input;	    /* the input of a translator: has a value in its definitions only */
};

struct idents {
	struct arena *arena;
	struct strmap scopes[SCOPE_NSCOPES];
	uint32_t next_id[SCOPE_NSCOPES]; /* from 0x500; aggregations from 1 */
	bool has_builtins;		 /* check_init() has run */
	bool in_library;		 /* what is added now comes from a library */
};

struct idents *idents_new(struct arena *); /* in it, but for the tables of names: */
void idents_release(struct idents *);
struct ident *ident_find(const struct idents *, enum ident_scope, const char *name);
/*
 * Adds a name the caller knows to be free (an enumerator of that name is hidden); gives scalars,
 * arrays and aggregations an id. NULL: there are no more ids in that scope (D_ID_OFLOW).
 */
struct ident *ident_add(struct idents *, enum ident_scope, const char *name, enum ident_kind,
			const struct type *);
/* Puts another ident, or none (NULL), under a name: parameters of an inline. Returns what was
 * there. */
struct ident *ident_replace(struct idents *, enum ident_scope, const char *name, struct ident *);
/* "scalar", "associative array", "function", "tracing function", ... as messages say it. */
const char *ident_kind_name(const struct ident *);

#endif
