/*
 * compiler.h: the state of one compilation, shared by lexer, parser, declarations, checks and code
 * generation. Private to the compiler; the rest of the room uses dlang.h.
 *
 * Errors leave by compile_fail(), which jumps out to dlang_compile(). The arena keeps what was
 * built; after an error the whole command ends.
 */
#ifndef DLANG_PARSE_COMPILER_H
#define DLANG_PARSE_COMPILER_H

#include <setjmp.h>

#include "dlang/parse/ast.h"
#include "dlang/dlang.h"
#include "dlang/errtags.h"
#include "dlang/program.h"
#include "dlang/session.h"

struct lexer;	    /* lex.c */
struct pragma_wait; /* pragma.c */

enum compile_phase {
	PHASE_PARSE,	 /* no context in front of messages of command-line texts */
	PHASE_BODY,	 /* "in action list: " */
	PHASE_PREDICATE, /* "in predicate: " */
};

struct compiler {
	struct session *session;
	struct arena *arena;
	struct types *types;
	struct idents *idents;
	const struct source *src;
	struct lexer *lex;
	struct err *err;
	jmp_buf fail;
	enum compile_phase phase;
	const char *file; /* set by # line directives; NULL: none */
	int line;	  /* of the token being read; the lexer keeps it */
	bool is_parsed;
	const char *at;		     /* what is being checked, in the text; NULL: the token */
	const char *hint;	     /* what may have been meant, for the error to come; or NULL */
	bool *arg_used;		     /* operands referenced as $N, $$N; [0] is $0 */
	struct pragma_wait *pragmas; /* attributes of names that are not known yet */
	struct clause *clause;	     /* being generated */
	struct probe *probe;	     /* first probe its description matched: types of args[] */
	unsigned nprobes;	     /* how many it matched */
	const struct probe_desc *desc;
	int desc_line;
	struct program *program;
	bool library;	     /* not a program: its clauses are never enabled */
	bool skipped;	     /* a library that depends on what is not there */
	unsigned expansions; /* nodes that inlines and translators may still come to */
	struct attr attr;    /* the weakest the clause has used so far */
	/* clause.c: where a name that is not known yet takes the body on its first try (once more,
	 * predicate first); NULL: it is an error */
	jmp_buf *retry;
};

/*
 * Ends the compilation with "[D_TAG] line N: text" laid out as docs/spec/d-language.md §17.1 says.
 * On a terminal the line of the program follows, with a mark; then cc->hint, if there is one.
 */
void compile_fail(struct compiler *, int tag, int line, const char *fmt, ...) NORETURN
	PRINTF_LIKE(4, 5);
/* The same, without any location prefix in command-line texts (format strings and the like). */
void compile_fail_bare(struct compiler *, int tag, int line, const char *fmt, ...) NORETURN
	PRINTF_LIKE(4, 5);
/* What no tag and no place belongs to: a program that the machine has no room for. */
void compile_fail_plain(struct compiler *, const char *text) NORETURN;

/* Ends the compilation of a library that has no use here. */
void compile_skip(struct compiler *) NORETURN;

/* library.c: all libraries, before the first program. Error text as of dlang_compile(). */
int libraries_load(struct session *, struct err *);
/* compile.c: one of them, with the path that messages show. */
int compile_library(struct session *, const char *path, const char *text, size_t length,
		    struct err *);

/* parse.c: the whole text to a list of NODE_CLAUSE (declarations act at once on types and idents).
 * *has_inline: the text held an inline (so it is not empty). */
struct node *parse_program(struct compiler *, bool *has_inline);
/* A type written in D syntax ("uint64_t", "struct s *"), for prototypes in tables; NULL: it uses a
 * type name that is not known. */
const struct type *parse_type(struct compiler *, const char *text);

/* checkinit.c: built-ins, subroutines, actions and aggregating functions as names. Once. */
void check_init(struct session *);
/* Takes away what is newer than the option `version`. */
void check_hide_newer(struct session *);

/* check.c: names, types, prototypes. Returns the node that replaces it (constant folding). */
struct node *check_expr(struct compiler *, struct node *);
/* An integer constant expression folded: NODE_INT, or NULL if it is none. */
struct node *check_const(struct compiler *, struct node *);
/*
 * The definition of an inline, checked, and that it fits the inline's type. While it is checked the
 * caller has the parameters (IDENT_SCALAR, typed) among the globals, and ident->expr is NULL.
 */
struct node *check_inline(struct compiler *, const struct ident *, struct node *expr, int line);

/* codegen.c: a checked expression to a DIFO that passed the verifier. */
struct difo *codegen_expr(struct compiler *, struct node *);
/* What reading through such a pointer, or address, needs: NEED_* (dlang/provider.h). */
unsigned memory_needs(const struct type *pointer);

/* clause.c: one NODE_CLAUSE → clauses of cc->program (several descriptions, `if` pieces). */
void compile_clause(struct compiler *, struct node *clause);

#endif
