/*
 * rewritecomp.c: what changes the record behind an event (dlang/rewrite.h): drop(), reparent(), and
 * assignments that mean nothing where no recording is written: to execname, pid, tid, cpu, and to
 * texts among the fields of args[0]. Numbers there are assigned to as members ever are.
 */
#include "dlang/compile/actcomp.h"

#include <ctype.h>

#include "dlang/rewrite.h"
#include "dlang/session_engine.h"

static void require_rewriting(struct compiler *cc, const struct node *call, const char *name)
{
	if (!cc->session->engine->rewriter)
		compile_fail(
			cc, D_REWRITE_ONLY, call->line,
			"%s( ) is for a recording that is written anew: -E IN.data -o OUT.data",
			name);
}

void compile_drop(struct compiler *cc, struct node *call, struct stmt *st)
{
	require_rewriting(cc, call, "drop");
	add_action(cc, st, ACT_DROP, NULL);
}

#define NAME_MAX_BYTES 64

/* Letters, digits, '_', of which no digit is the first: as the kernel's own are. */
static size_t word_length(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return isdigit((unsigned char)s[0]) ? 0 : n;
}

static bool is_event_name(const char *s)
{
	const size_t n = word_length(s), m = s[n] == ':' ? word_length(s + n + 1) : 0;

	return n && m && !s[n + 1 + m] && n <= NAME_MAX_BYTES && m <= NAME_MAX_BYTES;
}

void compile_reparent(struct compiler *cc, struct node *call, struct stmt *st)
{
	const struct node *name = call->args;

	if (name->kind != NODE_STR || !is_event_name(name->string))
		compile_fail(cc, D_REWRITE_NAME, call->line,
			     "reparent( ) argument #1 must be a string constant SYSTEM:EVENT of "
			     "letters, digits and '_'");
	require_rewriting(cc, call, "reparent");
	add_action(cc, st, ACT_BECOME, NULL)->name = name->string;
}

/* ---- assignments ---- */

static const struct settable {
	const char *name;
	enum rewrite_what what;
	bool is_text;
} settables[] = {
	{"execname", REWRITE_EXECNAME, true},
	{"pid", REWRITE_PID, false},
	{"tid", REWRITE_TID, false},
	{"cpu", REWRITE_CPU, false},
};

static const struct settable *find_settable(const struct node *n)
{
	for (unsigned i = 0; n->kind == NODE_IDENT && i < ARRAY_SIZE(settables); i++)
		if (strcmp(n->string, settables[i].name) == 0)
			return &settables[i];
	return NULL;
}

static void set(struct compiler *cc, const struct settable *to, struct node *n, struct stmt *st)
{
	struct action *act;
	char text[TYPE_TEXT];

	n->right = check_expr(cc, n->right);
	if (node_is_dynamic(n->right) ||
	    !(to->is_text ? type_is_string(n->right->type) : type_is_integer(n->right->type)))
		compile_fail(cc, D_OP_INCOMPAT, n->line,
			     "operands have incompatible types: \"%s\" = \"%s\"",
			     to->is_text ? "string" : "int", node_type_text(n->right, text));
	act = add_action(cc, st, ACT_SET, codegen_expr(cc, n->right));
	act->arg = to->what;
}

/* args[0]->a.b[1] and the like. */
static bool is_of_args(const struct node *n)
{
	while (n->kind == NODE_OP2 && (n->op == OP_PTR || n->op == OP_DOT) &&
	       n->left->kind != NODE_IDENT)
		n = n->left;
	return n->kind == NODE_OP2 && n->op == OP_INDEX && n->left->kind == NODE_IDENT &&
	       strcmp(n->left->string, "args") == 0;
}

static bool is_char_array(const struct compiler *cc, const struct node *n)
{
	const struct type *t = type_resolve(n->type);

	return t->kind == TYPE_ARRAY && type_bytes(cc, t->ref) == 1 && t->nelems;
}

/* A text that has room for so many bytes. */
static bool set_text(struct compiler *cc, struct node *n, struct stmt *(*add)(void *arg), void *arg)
{
	struct action *act;

	n->left = check_expr(cc, n->left);
	if (!is_char_array(cc, n->left) || n->right->kind == NODE_AGG)
		return false;
	n->right = check_expr(cc, n->right);
	if (node_is_dynamic(n->right) || !type_is_strcompat(n->right->type))
		return false;
	act = add_action(cc, add(arg), ACT_SETTEXT, codegen_expr(cc, n->right));
	act->incr = codegen_expr(cc, n->left);
	act->arg = type_bytes(cc, n->left->type);
	return true;
}

bool compile_rewrite(struct compiler *cc, struct node *n, struct stmt *(*add)(void *arg), void *arg)
{
	const struct settable *to;

	if (!cc->session->engine->rewriter || n->kind != NODE_OP2 || n->op != OP_ASGN)
		return false;
	to = find_settable(n->left);
	if (to)
		set(cc, to, n, add(arg));
	return to || (is_of_args(n->left) && set_text(cc, n, add, arg));
}
