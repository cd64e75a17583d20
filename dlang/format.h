/*
 * format.h: formats of printf, printa, system, freopen: parsed once when compiled, checked against
 * their arguments by the compiler, printed by the front (docs/spec/d-language.md §12.7).
 */
#ifndef DLANG_FORMAT_H
#define DLANG_FORMAT_H

#include "base/arena.h"
#include "base/err.h"
#include "symbols/dwarf/types.h"

enum { /* pdir.flags */
       PF_LEFT = 1 << 0,
       PF_ZERO = 1 << 1,
       PF_PLUS = 1 << 2,
       PF_SPACE = 1 << 3,
       PF_ALT = 1 << 4,
       PF_GROUP = 1 << 5,
       PF_AGG = 1 << 6,
       PF_DYNWIDTH = 1 << 7,
       PF_DYNPREC = 1 << 8
};

enum conv_kind {
	CONV_DECIMAL, /* sign by the type */
	CONV_UNSIGNED,
	CONV_OCTAL,
	CONV_HEX,
	CONV_HEXUP,
	CONV_FLOAT,
	CONV_CHAR,
	CONV_CHARESC,
	CONV_STRING,
	CONV_STRESC,
	CONV_WCHAR,
	CONV_WSTRING,
	CONV_ADDR,
	CONV_UADDR,
	CONV_STACK,
	CONV_HOST,
	CONV_PORT,
	CONV_MAILTIME,
	CONV_TIME,
};

/* A row of the table of conversions. */
struct pconv {
	const char *name;  /* "d", "llx", "s" */
	const char *proto; /* text of argument prototypes in messages */
	bool (*accepts)(const struct type *, bool has_target);
	enum conv_kind kind;
};

/* One directive: literal text, then (unless conv is NULL) a conversion. */
struct pdir {
	const char *prefix; /* literal text, %% already one % */
	size_t prefixlen;
	const struct pconv *conv;
	unsigned flags;
	int width, prec;  /* 0: none */
	const char *spec; /* the conversion as messages show it, its name only: "%lld" */
	unsigned num;	  /* conversion #num, from 1 */
};

struct pfmt {
	const char *text;
	const struct pdir *dirs;
	unsigned ndirs;
};

/* Parses; error texts are those of docs/spec/d-language.md §12.7 without tag ("format conversion #1
 * is undefined: %q"). */
int pfmt_parse(struct arena *, const char *text, const struct pfmt **, struct err *);

#endif
