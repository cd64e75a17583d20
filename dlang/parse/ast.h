/*
 * ast.h: the tree between parser and code generator. Nodes live in the arena of the session and
 * are never freed. The parser fills kind, op, line and children; check.c fills type and flags and
 * turns NODE_IDENT into what the name stands for.
 *
 * Lines are those messages name (docs/spec/d-language.md §17.1): a name and a constant their own;
 * an operator that of the token after the whole expression; a call that of the function's name,
 * with end_line of its closing parenthesis; a statement that of its end; a clause that of its
 * closing brace; a probe description its own.
 */
#ifndef DLANG_PARSE_AST_H
#define DLANG_PARSE_AST_H

#include "dlang/parse/ident.h"

enum node_kind {
	NODE_INT,      /* value; type set by the parser */
	NODE_STR,      /* string, length */
	NODE_IDENT,    /* string: an unresolved name, backquotes included */
	NODE_VAR,      /* ident; args: keys of an array (checked only) */
	NODE_SYM,      /* string, value: an external symbol and its address */
	NODE_TYPE,     /* type: in casts, sizeof, offsetof */
	NODE_FUNC,     /* left: NODE_IDENT naming it (before check), ident (after); args */
	NODE_AGG,      /* string/ident; args: keys; `has_keys` */
	NODE_OP1,      /* op, left */
	NODE_OP2,      /* op, left, right */
	NODE_OP3,      /* expr ? left : right */
	NODE_OFFSETOF, /* type in `left` (NODE_TYPE), string: member */
	NODE_EXPR,     /* statement: left */
	NODE_IF,       /* statement: expr, body, orelse (lists of statements) */
	NODE_PDESC,    /* desc: a probe description, macros expanded, fields assigned */
	NODE_CLAUSE,   /* args: list of NODE_PDESC; expr: predicate or NULL; body; has_body */
	NODE_INLINE,   /* ident: the name; left: its definition, or the argument of a parameter */
	NODE_XLATE,    /* left: NODE_TYPE of the output, right: the input; checked: xlator */
	NODE_XMEMBER,  /* a translated member (checked only): left: input, right: definition */
	NODE_NKINDS
};

/* clang-format off */
enum node_op {
	OP_NONE,
	/* binary */
	OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_LSH, OP_RSH, OP_BAND, OP_BOR, OP_XOR,
	OP_LAND, OP_LOR, OP_LXOR, OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE,
	OP_ASGN, OP_ADD_EQ, OP_SUB_EQ, OP_MUL_EQ, OP_DIV_EQ, OP_MOD_EQ, OP_LSH_EQ, OP_RSH_EQ,
	OP_AND_EQ, OP_OR_EQ, OP_XOR_EQ,
	OP_COMMA,
	OP_PTR,    /* left -> right (NODE_IDENT) */
	OP_DOT,    /* left . right (NODE_IDENT) */
	OP_INDEX,  /* left [ args ]; a NODE_AGG takes its first list itself (has_keys) */
	OP_CAST,   /* (left: NODE_TYPE) right */
	/* unary */
	OP_INEG, OP_IPOS, OP_BNEG, OP_LNEG, OP_DEREF, OP_ADDROF, OP_SIZEOF, OP_STRINGOF,
	OP_PREINC, OP_PREDEC, OP_POSTINC, OP_POSTDEC,
	OP_NOPS
};
/* clang-format on */

struct probe_arg;
struct xlator; /* xlate.h */

struct node {
	enum node_kind kind;
	enum node_op op;
	int line;
	const char *at; /* where it begins in the text; NULL: it was made up */
	int end_line;	/* NODE_FUNC: of the closing parenthesis (D_FUNC_UNDEF) */
	unsigned depth; /* of the tree below; bounded by the parser, so recursion is safe */
	const struct type *type;
	const struct type *param; /* argument of a subroutine: the parameter's type; NULL: any */
	bool is_lval;		  /* may stand left of = */
	bool is_writable;	  /* not a built-in */
	bool is_checked;
	bool is_bitfield; /* member: bits/bit_offset valid */
	bool is_userland; /* by reference or an lvalue: lies in the target for sure */
	bool is_tls; /* NODE_SYM: value is added to the thread pointer, or to what tls_word says */
	bool has_keys, has_body;
	bool is_made; /* NODE_VAR: a part of it is stored, so it comes into being, of zeros */
	uint8_t bits;
	uint32_t tls_word;   /* typesource.h */
	uint64_t bit_offset; /* of a member, from the start of its struct */
	uint64_t value;
	const char *string;
	size_t length;
	struct ident *ident;
	const struct probe_arg *arg; /* args[n]: where it is */
	const struct xlator *xlator;
	struct node *left, *right, *expr;
	struct node *args; /* list by `next` */
	struct node *body, *orelse;
	struct node *next;
	struct probe_desc *desc;
	const char *desc_text; /* the specifier as written, for messages */
	int reg;	       /* code generator: register that holds the value */
	/* cgkeep.c: it is evaluated once, and its value kept in this hidden variable */
	bool is_kept, is_evaluated;
	unsigned kept;
};

struct node *node_new(struct arena *, enum node_kind, int line);
unsigned node_count(const struct node *list);
bool node_assigns(const struct node *); /* it does itself, whatever is below: =, +=, ++ ... */
const char *op_text(enum node_op);	/* "+", "->", "sizeof": as messages quote it */
/* astdump.c: -x tree: a clause as it was parsed, an expression as it was checked, on stderr. */
struct session;
enum ast_pass { AST_PARSED = 1, AST_CHECKED = 2 }; /* the bits of the option */
void ast_show(struct session *, enum ast_pass, const struct node *);
/* astcopy.c: a copy of a list of raw or checked nodes, children included. */
struct node *node_copy(struct arena *, const struct node *list);
/* Takes from *budget the number of nodes that the copy would have; false: there is not enough. */
bool node_fits(const struct node *list, unsigned *budget);

#endif
