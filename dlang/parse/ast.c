#include "dlang/parse/ast.h"

/* clang-format off */
static const char *const op_texts[OP_NOPS] = {
	[OP_ADD] = "+", [OP_SUB] = "-", [OP_MUL] = "*", [OP_DIV] = "/", [OP_MOD] = "%",
	[OP_LSH] = "<<", [OP_RSH] = ">>", [OP_BAND] = "&", [OP_BOR] = "|", [OP_XOR] = "^",
	[OP_LAND] = "&&", [OP_LOR] = "||", [OP_LXOR] = "^^", [OP_EQ] = "==", [OP_NE] = "!=",
	[OP_LT] = "<", [OP_LE] = "<=", [OP_GT] = ">", [OP_GE] = ">=",
	[OP_ASGN] = "=", [OP_ADD_EQ] = "+=", [OP_SUB_EQ] = "-=", [OP_MUL_EQ] = "*=",
	[OP_DIV_EQ] = "/=", [OP_MOD_EQ] = "%=", [OP_LSH_EQ] = "<<=", [OP_RSH_EQ] = ">>=",
	[OP_AND_EQ] = "&=", [OP_OR_EQ] = "|=", [OP_XOR_EQ] = "^=",
	[OP_COMMA] = ",", [OP_PTR] = "->", [OP_DOT] = ".", [OP_INDEX] = "[", [OP_CAST] = "(cast)",
	[OP_INEG] = "-", [OP_IPOS] = "+", [OP_BNEG] = "~", [OP_LNEG] = "!", [OP_DEREF] = "*",
	[OP_ADDROF] = "&", [OP_SIZEOF] = "sizeof", [OP_STRINGOF] = "stringof",
	[OP_PREINC] = "++", [OP_PREDEC] = "--", [OP_POSTINC] = "++", [OP_POSTDEC] = "--",
};
/* clang-format on */

struct node *node_new(struct arena *arena, enum node_kind kind, int line)
{
	struct node *n = ARENA_NEW(arena, struct node);

	n->kind = kind;
	n->line = line;
	return n;
}

unsigned node_count(const struct node *list)
{
	unsigned n = 0;

	for (; list; list = list->next)
		n++;
	return n;
}

bool node_assigns(const struct node *n)
{
	return (n->kind == NODE_OP1 && n->op >= OP_PREINC && n->op <= OP_POSTDEC) ||
	       (n->kind == NODE_OP2 && n->op >= OP_ASGN && n->op <= OP_XOR_EQ);
}

const char *op_text(enum node_op op)
{
	return op_texts[op] ? op_texts[op] : "";
}
