/*
 * actions.h: the actions by name: a row of actions.def each. The compiler, the engine and the front
 * know a statement's action by its number and have a table each of what they do about it.
 */
#ifndef DLANG_ACTIONS_H
#define DLANG_ACTIONS_H

enum stmt_kind {
	STMT_PLAIN, /* an expression, an assignment, an aggregation */
#define ACTION(id, name, proto, flags) STMT_##id,
#include "dlang/actions.def"
#undef ACTION
	STMT_NKINDS
};

enum {				  /* stmtkind.flags */
       ACTF_RECORD = 1 << 0,	  /* data-recording (docs/spec/d-language.md §13.3) */
       ACTF_DESTRUCTIVE = 1 << 1, /* needs -w */
       ACTF_LINE = 1 << 2,	  /* records nothing, yet makes a record (speculate, raise) */
       ACTF_AGGS = 1 << 3,	  /* acts on aggregations */
};

struct stmtkind {
	enum stmt_kind kind;
	const char *name;
	const char *proto; /* "void(@, size_t, ...)": @ any type, [] optional */
	unsigned flags;
};

extern const struct stmtkind stmtkinds[STMT_NKINDS]; /* by kind; STMT_PLAIN has no name */

#endif
