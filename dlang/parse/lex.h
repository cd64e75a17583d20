/*
 * lex.h: characters to tokens (docs/spec/d-language.md §1). Private to the compiler.
 *
 * The same characters read differently outside and inside clauses, so the parser says which it
 * wants before it looks at the next token; there is one token of look-ahead. Comments and control
 * lines are dealt with here and never seen by the parser. Errors leave by compile_fail().
 */
#ifndef DLANG_PARSE_LEX_H
#define DLANG_PARSE_LEX_H

#include "dlang/parse/compiler.h"

struct prov_decl; /* provdecl.h */

/* A token that is one character has that character's code. */
/* clang-format off */
enum tok {
	TOK_END = 256, /* of the input */
	TOK_IDENT,     /* string; backquotes included */
	TOK_TNAME,     /* string: names a type */
	TOK_AGG,       /* string: the name without @, "_" for @ alone */
	TOK_INT,       /* value, type */
	TOK_STR,       /* string */
	TOK_SPEC,      /* outer state: a probe specifier */
	TOK_EPRED,     /* the slash that ends a predicate */
	TOK_ELLIPSIS,
	TOK_PTR, TOK_INC, TOK_DEC, TOK_LSH, TOK_RSH, TOK_LE, TOK_GE, TOK_EQ, TOK_NE, TOK_LAND,
	TOK_LOR, TOK_LXOR, TOK_ADD_EQ, TOK_SUB_EQ, TOK_MUL_EQ, TOK_DIV_EQ, TOK_MOD_EQ, TOK_LSH_EQ,
	TOK_RSH_EQ, TOK_AND_EQ, TOK_OR_EQ, TOK_XOR_EQ,
#define KEYWORD(word, flags) KEY_##word,
#include "dlang/parse/keywords.def"
#undef KEYWORD
};
/* clang-format on */

enum { KW_OUTER = 1 << 0, KW_MEMBER = 1 << 1, KW_TYPE = 1 << 2 };

struct token {
	int kind; /* enum tok, or a character */
	int line;
	const char *text; /* as written */
	size_t len;
	bool shows_rest; /* messages quote it with the rest of its line */
	const char *string;
	uint64_t value;
	const struct type *type;
};

enum lex_state { LEX_OUTER, LEX_CLAUSE };

struct lexer {
	const char *next, *end; /* not read yet */
	int line;		/* of *next */
	int next_line;		/* set by a line directive; 0: none */
	enum lex_state state;
	bool line_start; /* only blanks since the last newline */
	bool in_system;	 /* in a file that the preprocessor calls a system header */
	bool have_tok;
	bool in_decl;	 /* a type name is a type name, whatever follows */
	bool after_tag;	 /* the token before is struct, union or enum */
	bool spec_first; /* outer words are specifiers even if they name types */
	unsigned nparens, nbracks, nbraces;
	unsigned depth; /* of the parser's recursion */
	struct token tok;
};

void lex_init(struct lexer *, const char *text, size_t length);

/* The next token, not consumed; cc->line becomes its line. */
const struct token *lex_peek(struct compiler *);
void lex_skip(struct compiler *);
/*
 * The token is a word after `(`: do the characters that follow make a cast of it? (w *), (w)x: yes.
 * (w)-1: perhaps, it may be a difference.
 */
enum cast { CAST_NO, CAST_PERHAPS, CAST_YES };
enum cast lex_is_cast(struct compiler *);
/*
 * Which way tokens are read from now on; one that was looked at stays what it is. Brackets are
 * counted anew, with `nbraces` of them open.
 */
void lex_enter(struct compiler *, enum lex_state, unsigned nbraces);
unsigned keyword_flags(int kind); /* KW_*, 0 for other tokens */

/* What stands between tokens, but for comments: isspace() of C's own locale. */
#define LEX_BLANKS " \t\n\v\f\r"
static inline bool lex_is_blank(int c)
{
	return c == ' ' || (c >= '\t' && c <= '\r'); /* and those between: \n \v \f */
}

/* "syntax error near ..." about the next token. */
void syntax_error(struct compiler *) NORETURN;

/* Chooses the type of an integer constant (docs/spec/d-language.md §1.5). nlongs: 0 to 2. NULL:
 * none can hold it. */
const struct type *int_const_type(const struct types *, uint64_t value, bool is_decimal,
				  bool is_unsigned, unsigned nlongs);

/* macro.c: a token $..., $$... (docs/spec/d-language.md §5): kind, string, value, type from its
 * text. */
void macro_token(struct compiler *, struct token *);
/*
 * A field of a probe description with its macro replaced; *undefined: it names none. Returns text
 * in the arena, not interned.
 */
char *macro_field(struct compiler *, const char *field, bool *undefined);

/* pragma.c: the n characters after the # of a control line. */
void control_line(struct compiler *, const char *text, size_t n, int line);
/* At the end of the program: fails for attributes nobody claimed. */
void pragma_check_unused(struct compiler *);
/* The stability of a name; NULL: Stable/Stable/Common. */
const struct attr *pragma_attr(const struct compiler *, const struct ident *);
/* Is it bound to a version of the language newer than the one asked for? */
bool pragma_hides(const struct compiler *, const struct ident *);
/* A provider was declared: it takes the attributes that were given to it. */
void pragma_claim_provider(struct compiler *, struct prov_decl *);

#endif
