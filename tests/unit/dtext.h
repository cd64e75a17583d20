/*
 * dtext.h: a session without probes or engine for tests that read D text, and a tree as text.
 */
#ifndef TESTS_DTEXT_H
#define TESTS_DTEXT_H

#include "base/strbuf.h"
#include "dlang/parse/decl.h"
#include "dlang/parse/ident.h"
#include "dlang/run/vars.h"
#include "dlang/session_engine.h"
#include "tests/unit/test.h"

struct dtext {
	struct arena arena;
	struct session *session;
	struct compiler cc;
	struct source src;
	struct err err;
	struct node *clauses;
	bool has_inline;
	bool arg_used[16];
	char out[4096];
};

static inline void dtext_release(struct dtext *d)
{
	types_release(&d->session->engine->types);
	idents_release(d->session->engine->idents);
	intern_release(&d->session->engine->intern);
	arena_release(&d->arena);
}

/* Begins a session; the one before it, if any, ends. */
static inline void dtext_init(struct dtext *d)
{
	if (d->session)
		dtext_release(d);
	memset(d, 0, sizeof(*d));
	arena_init(&d->arena);
	d->session = ARENA_NEW(&d->arena, struct session);
	d->session->engine = ARENA_NEW(&d->arena, struct session_engine);
	d->session->arena = &d->arena;
	d->session->progname = "dtrace";
	d->session->target_pid = 4711;
	options_init(&d->session->options);
	intern_init(&d->session->engine->intern, &d->arena);
	types_init(&d->session->engine->types, &d->arena, &d->session->engine->intern, 256);
	d->session->engine->idents = idents_new(&d->arena);
	d->session->engine->vars = vars_new(&d->arena);
	check_init(d->session);
	d->cc.session = d->session;
	d->cc.arena = &d->arena;
	d->cc.types = &d->session->engine->types;
	d->cc.idents = d->session->engine->idents;
	d->cc.src = &d->src;
	d->cc.err = &d->err;
	d->cc.arg_used = d->arg_used;
	d->cc.program = ARENA_NEW(&d->arena, struct program);
	d->src.kind = SOURCE_SCRIPT;
	d->src.arg0 = "t.d";
}

/* NULL, or the message. */
static inline const char *dtext_parse(struct dtext *d, const char *text)
{
	d->src.text = arena_strdup(&d->arena, text);
	d->src.length = strlen(text);
	d->err.code = 0;
	if (setjmp(d->cc.fail) != 0)
		return d->err.text;
	d->clauses = parse_program(&d->cc, &d->has_inline);
	return NULL;
}

/* --- trees as text: (op left right), f(args), a[keys] ---------------------------------------- */

static inline void dump_node(const struct node *n, struct strbuf *out);

static inline void dump_list(const struct node *n, const char *between, struct strbuf *out)
{
	for (const struct node *first = n; n; n = n->next) {
		strbuf_adds(out, n == first ? "" : between);
		dump_node(n, out);
	}
}

static inline void dump_op(const struct node *n, struct strbuf *out)
{
	strbuf_addf(out, "(%s", n->kind == NODE_OP3 ? "?:" : op_text(n->op));
	if (n->op == OP_POSTINC || n->op == OP_POSTDEC)
		strbuf_adds(out, "post");
	for (int i = 0; i < 3; i++) {
		const struct node *child = i == 0 ? n->expr : i == 1 ? n->left : n->right;

		if (!child)
			continue;
		strbuf_addc(out, ' ');
		dump_node(child, out);
	}
	if (n->args)
		strbuf_addc(out, ' ');
	dump_list(n->args, " ", out);
	strbuf_addc(out, ')');
}

static inline void dump_desc(const struct node *n, struct strbuf *out)
{
	const struct probe_desc *p = n->desc;

	if (p->id)
		strbuf_addf(out, "%u", p->id);
	else
		strbuf_addf(out, "%s:%s:%s:%s", p->prov, p->mod, p->func, p->name);
}

static inline void dump_clause(const struct node *n, struct strbuf *out)
{
	dump_list(n->args, ",", out);
	if (n->expr) {
		strbuf_adds(out, " /");
		dump_node(n->expr, out);
		strbuf_addc(out, '/');
	}
	if (!n->has_body)
		return;
	strbuf_adds(out, " { ");
	dump_list(n->body, " ", out);
	strbuf_adds(out, n->body ? " }" : "}");
}

static inline void dump_node(const struct node *n, struct strbuf *out)
{
	char buf[256];

	switch (n->kind) {
	case NODE_INT:
		strbuf_addf(out, "%lld", (long long)n->value);
		break;
	case NODE_STR:
		strbuf_addf(out, "\"%s\"", n->string);
		break;
	case NODE_IDENT:
		strbuf_adds(out, n->string);
		break;
	case NODE_TYPE:
		strbuf_adds(out, type_name(n->type, buf, sizeof(buf)));
		break;
	case NODE_FUNC:
		dump_node(n->left, out);
		strbuf_addc(out, '(');
		dump_list(n->args, ", ", out);
		strbuf_addc(out, ')');
		break;
	case NODE_AGG:
		strbuf_addf(out, "@%s%s", n->string, n->has_keys ? "[" : "");
		dump_list(n->args, ", ", out);
		strbuf_adds(out, n->has_keys ? "]" : "");
		break;
	case NODE_OFFSETOF:
		strbuf_adds(out, "offsetof(");
		dump_node(n->left, out);
		strbuf_addf(out, ", %s)", n->string);
		break;
	case NODE_EXPR:
		dump_node(n->left, out);
		strbuf_addc(out, ';');
		break;
	case NODE_IF:
		strbuf_adds(out, "if ");
		dump_node(n->expr, out);
		strbuf_adds(out, " { ");
		dump_list(n->body, " ", out);
		strbuf_adds(out, " } else { ");
		dump_list(n->orelse, " ", out);
		strbuf_adds(out, " }");
		break;
	case NODE_PDESC:
		dump_desc(n, out);
		break;
	case NODE_CLAUSE:
		dump_clause(n, out);
		break;
	default:
		dump_op(n, out);
	}
}

/* The clauses as text, or the message. */
static inline const char *dtext_dump(struct dtext *d, const char *text)
{
	const char *error = dtext_parse(d, text);
	struct strbuf out;

	if (error)
		return error;
	strbuf_init(&out);
	dump_list(d->clauses, " ", &out);
	snprintf(d->out, sizeof(d->out), "%s", out.s);
	strbuf_release(&out);
	return d->out;
}

#endif
