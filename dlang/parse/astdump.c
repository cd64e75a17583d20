/*
 * astdump.c: -x tree: the tree as text, one node a line, children two blanks further in. Types are
 * there after checking.
 */
#include "base/strbuf.h"
#include "dlang/parse/ast.h"
#include "dlang/session.h"

static const char *const kind_texts[NODE_NKINDS] = {
	[NODE_INT] = "INT",
	[NODE_STR] = "STRING",
	[NODE_IDENT] = "IDENT",
	[NODE_VAR] = "VARIABLE",
	[NODE_SYM] = "SYMBOL",
	[NODE_TYPE] = "TYPE",
	[NODE_FUNC] = "FUNC",
	[NODE_AGG] = "AGGREGATE",
	[NODE_OP1] = "OP1",
	[NODE_OP2] = "OP2",
	[NODE_OP3] = "OP3",
	[NODE_OFFSETOF] = "OFFSETOF",
	[NODE_EXPR] = "D EXPRESSION",
	[NODE_IF] = "IF",
	[NODE_PDESC] = "PDESC",
	[NODE_CLAUSE] = "CLAUSE",
	[NODE_INLINE] = "INLINE",
	[NODE_XLATE] = "XLATE",
	[NODE_XMEMBER] = "XLATED MEMBER",
};

static void dump(struct strbuf *, const struct node *, unsigned depth);

static void dump_list(struct strbuf *out, const char *what, const struct node *list, unsigned depth)
{
	if (!list)
		return;
	strbuf_addf(out, "%*s%s:\n", (int)depth * 2, "", what);
	for (; list; list = list->next)
		dump(out, list, depth + 1);
}

static void dump_value(struct strbuf *out, const struct node *n)
{
	char text[256];

	if (n->kind == NODE_INT)
		strbuf_addf(out, " 0x%llx", (unsigned long long)n->value);
	if (n->kind == NODE_OP1 || n->kind == NODE_OP2)
		strbuf_addf(out, " %s", op_text(n->op));
	if (n->kind == NODE_PDESC && n->desc)
		strbuf_addf(out, " %s", n->desc_text);
	if (n->string)
		strbuf_addf(out, n->kind == NODE_STR ? " \"%s\"" : " %s", n->string);
	else if (n->ident)
		strbuf_addf(out, " %s", n->ident->name);
	if (n->type)
		strbuf_addf(out, " (%s)", type_name(n->type, text, sizeof(text)));
	strbuf_addc(out, '\n');
}

static void dump(struct strbuf *out, const struct node *n, unsigned depth)
{
	const struct node *const children[] = {n->expr, n->left, n->right};

	strbuf_addf(out, "%*s%s", (int)depth * 2, "",
		    kind_texts[n->kind] ? kind_texts[n->kind] : "?");
	dump_value(out, n);
	for (unsigned i = 0; i < ARRAY_SIZE(children); i++)
		if (children[i])
			dump(out, children[i], depth + 1);
	dump_list(out, n->kind == NODE_CLAUSE ? "descriptions" : "args", n->args, depth + 1);
	dump_list(out, "body", n->body, depth + 1);
	dump_list(out, "else", n->orelse, depth + 1);
}

void ast_show(struct session *s, enum ast_pass pass, const struct node *n)
{
	struct strbuf text;

	if (!opt_on(&s->options, OPT_TREE) || !(opt(&s->options, OPT_TREE) & pass))
		return;
	strbuf_init(&text);
	strbuf_addf(&text, "Parse tree (Pass %d):\n", pass);
	dump(&text, n, 0);
	session_message(s, MSG_BARE, false, "%s\n", text.s);
	strbuf_release(&text);
}
