/*
 * checkextern.c: what the traced programs give to a D program: external symbols, their types, and
 * args[] (docs/spec/d-language.md §1.4, §4.6).
 */
#include "dlang/parse/check.h"

#include <assert.h>

#include "dlang/parse/provdecl.h"
#include "dlang/parse/stability.h"
#include "dlang/typesource.h"
#include "dlang/run/vm.h"
#include "dlang/parse/xlate.h"
#include "dlang/session_engine.h"

/* ---- types ---- */

const struct type *complete_type(struct compiler *cc, const struct type *t)
{
	const struct type *plain = type_resolve(t);
	const struct typesource *ts = cc->session->engine->typesource;

	if (plain->kind == TYPE_FORWARD && ts && ts->complete(cc->session, plain))
		return type_resolve(plain);
	return plain;
}

const struct type *target_type(struct compiler *cc, const char *name)
{
	const struct typesource *ts = cc->session->engine->typesource;
	const char *tick = strrchr(name, '`'), *word = strchr(name, ' ');
	const char *module = NULL;

	if (!ts)
		return NULL;
	if (tick) {
		word = word && word < tick ? word + 1 : name;
		module = arena_strndup(cc->arena, word, (size_t)(tick - word));
		name = arena_printf(cc->arena, "%.*s%s", (int)(word - name), name, tick + 1);
	}
	return ts->type(cc->session, module && *module ? module : NULL, name);
}

bool target_has_module(struct compiler *cc, const char *scoped)
{
	const struct typesource *ts = cc->session->engine->typesource;
	const char *tick = strrchr(scoped, '`');

	return ts && ts->has_module(cc->session,
				    arena_strndup(cc->arena, scoped, (size_t)(tick - scoped)));
}

void note_userland(struct compiler *cc, struct node *n)
{
	if (n->is_userland && type_is_pointer(n->type))
		n->type = type_userland(cc->types, type_resolve(n->type));
}

/* ---- symbols ---- */

static NORETURN void fail_symbol(struct compiler *cc, const struct node *n, const char *why)
{
	compile_fail(cc, D_IDENT_UNDEF, n->line, "failed to resolve %s: %s", n->string, why);
}

static enum symbol_answer find_symbol(struct compiler *cc, const char *scoped,
				      struct target_symbol *sym)
{
	const struct typesource *ts = cc->session->engine->typesource;
	const char *tick = strrchr(scoped, '`');
	const char *module = arena_strndup(cc->arena, scoped, (size_t)(tick - scoped));

	if (!*module)
		module = NULL;
	if (!ts)
		return module ? SYMBOL_NO_MODULE : SYMBOL_UNKNOWN;
	return ts->symbol(cc->session, module, tick + 1, sym);
}

static void resolve_symbol(struct compiler *cc, const struct node *n, struct target_symbol *sym)
{
	switch (find_symbol(cc, n->string, sym)) {
	case SYMBOL_FOUND:
		return;
	case SYMBOL_NO_MODULE:
		fail_symbol(cc, n, "Module is no longer loaded");
	case SYMBOL_UNKNOWN:
		fail_symbol(cc, n, "Unknown symbol name");
	case SYMBOL_AMBIGUOUS:
		fail_symbol(cc, n, "several functions have a static variable of this name");
	case SYMBOL_OPTIMIZED:
		fail_symbol(cc, n, "the compiler has optimized it away");
	case SYMBOL_PER_THREAD:
		fail_symbol(cc, n, "each thread has its own, and its module does not tell where");
	}
}

struct node *check_symbol(struct compiler *cc, struct node *n, const struct type *untyped)
{
	struct target_symbol sym;

	resolve_symbol(cc, n, &sym);
	if (!sym.type && !untyped)
		compile_fail(
			cc, D_SYM_NOTYPES, n->line,
			"no type is known for symbol %s of module %s: it has no debug information",
			n->string, sym.module);
	n->kind = NODE_SYM;
	n->value = sym.addr;
	n->is_tls = sym.is_tls;
	n->tls_word = sym.tls_word;
	n->type = sym.type ? sym.type : untyped;
	n->is_lval = true;
	n->is_userland = true;
	n->is_checked = true;
	complete_type(cc, n->type);
	note_userland(cc, n);
	return n;
}

struct node *check_dotted_symbol(struct compiler *cc, struct node *n)
{
	struct node *left = n->left;
	struct target_symbol sym;
	const char *name;

	if (n->op != OP_DOT || left->kind != NODE_IDENT || !strchr(left->string, '`'))
		return NULL;
	if (find_symbol(cc, left->string, &sym) == SYMBOL_FOUND && sym.type &&
	    type_is_sou(complete_type(cc, sym.type)))
		return NULL;
	name = arena_printf(cc->arena, "%s.%s", left->string, n->right->string);
	if (find_symbol(cc, name, &sym) == SYMBOL_UNKNOWN)
		return NULL;
	left->string = name;
	return check_symbol(cc, left, NULL);
}

struct node *check_untyped_symbol(struct compiler *cc, struct node *n, const struct type *t)
{
	if (n->kind == NODE_IDENT && strchr(n->string, '`'))
		return check_symbol(cc, n, t);
	return check_expr(cc, n);
}

/* ---- args[] ---- */

static const char *desc_text(const struct compiler *cc)
{
	const struct probe_desc *d = cc->desc;

	if (d->id && cc->probe)
		return arena_printf(cc->arena, "%s:%s:%s:%s", cc->probe->prov, cc->probe->mod,
				    cc->probe->func, cc->probe->name);
	return arena_printf(cc->arena, "%s:%s:%s:%s", d->prov, d->mod, d->func, d->name);
}

static bool is_vague(struct attr a, const char *field)
{
	return a.data >= STABILITY_EVOLVING && (!*field || strpbrk(field, "*?[\\"));
}

/* May the first probe stand for all that the description matches? */
static bool is_stable_set(const struct compiler *cc)
{
	const struct provattrs *pa = attrs_of_provider(cc->session, cc->probe->prov);
	const struct probe_desc *d = cc->desc;

	return pa->args.data >= STABILITY_EVOLVING && !is_vague(pa->module, d->mod) &&
	       !is_vague(pa->function, d->func) && !is_vague(pa->name, d->name);
}

static void require_one_signature(struct compiler *cc, const struct node *n)
{
	if (cc->nprobes > 1 && !is_stable_set(cc))
		compile_fail(cc, D_ARGS_MULTI, n->line,
			     "args[ ] may not be used: %s matches %u probes, whose arguments may "
			     "differ",
			     desc_text(cc), cc->nprobes);
}

static void require_index(struct compiler *cc, const struct node *n, uint64_t index, unsigned nargs,
			  const char *why)
{
	if (index >= nargs)
		compile_fail(cc, D_ARGS_IDX, n->line,
			     "index %lld is out of range for %s args[ ]%s%s", (long long)index,
			     desc_text(cc), why ? ": " : "", why ? why : "");
}

static void check_native_arg(struct compiler *cc, struct node *n, uint64_t index,
			     const struct probe_arg *a)
{
	char text[TYPE_TEXT];

	if (a->place == ARG_NOWHERE)
		compile_fail(cc, D_ARGS_TYPE, n->line, "args[%u] of %s is of type \"%s\": %s",
			     (unsigned)index, desc_text(cc), type_name(a->type, text, sizeof(text)),
			     a->why);
	n->kind = NODE_VAR;
	n->arg = a;
	n->type = a->type;
	/* registers are copied to memory of ours, the pointers in them lead to the target */
	n->is_userland = !a->is_ours && (a->place == ARG_ADDRESS || a->place == ARG_STACK ||
					 type_is_pointer(a->type));
	complete_type(cc, n->type);
}

/* Native argument `at` as it was declared; the provider may know better where it is. */
static const struct probe_arg *declared_arg(struct compiler *cc, const struct probe_args *known,
					    const struct probe_decl *d, unsigned at)
{
	struct probe_arg *a = ARENA_NEW(cc->arena, struct probe_arg);

	if (at < known->n)
		*a = known->v[at];
	else
		*a = (struct probe_arg){.place = ARG_VALUE, .at = at};
	a->type = param_nth(d->args, at)->type;
	if (a->place == ARG_VALUE && type_is_string(a->type))
		a->place = ARG_ADDRESS; /* the program passes where the text is */
	return a;
}

/* A pointer to characters, given out as the text it leads to. */
static struct node *text_of(struct compiler *cc, struct node *pointer)
{
	struct node *n = node_new(cc->arena, NODE_OP1, pointer->line);

	n->op = OP_STRINGOF;
	n->left = pointer;
	n->type = cc->types->t_string;
	n->is_userland = pointer->is_userland || type_resolve(pointer->type)->is_userland;
	pointer->is_checked = n->is_checked = true;
	return n;
}

/* What is given out is of the declared type, or translated to it. */
static struct node *check_declared_arg(struct compiler *cc, struct node *n, uint64_t index,
				       const struct probe_args *known, const struct probe_decl *d)
{
	const struct type *out;
	struct node *x;

	require_index(cc, n, index, d->nouts, NULL);
	out = param_nth(d->outs, (unsigned)index)->type;
	check_native_arg(cc, n, index, declared_arg(cc, known, d, d->map[index]));
	if (probe_arg_fits(out, n->type)) {
		if (type_is_string(out) && !type_is_string(n->type))
			return text_of(cc, n);
		if (!type_same(out, n->type))
			n->type = out;
		return n;
	}
	x = node_new(cc->arena, NODE_XLATE, n->line);
	x->xlator = xlator_find(cc, n->type, out);
	assert(x->xlator); /* a declaration without one was refused (D_PROV_PRXLATOR) */
	x->left = node_new(cc->arena, NODE_TYPE, n->line);
	x->left->type = out;
	n->is_checked = true;
	x->right = n;
	x->type = cc->types->t_dyn;
	return x;
}

struct node *check_probe_arg(struct compiler *cc, struct node *n, uint64_t index)
{
	struct probe_args known = {0};
	const struct probe_decl *d =
		cc->probe ? probe_args_of(cc->probe, &known)
			  : probe_decl_of(cc->session, cc->desc->prov, cc->desc->name);

	cc->session->engine->reads_typed_args = true;
	if (cc->probe && (d || cc->probe->provider->argtypes))
		require_one_signature(cc, n);
	if (d)
		return check_declared_arg(cc, n, index, &known, d);
	require_index(cc, n, index, known.n, known.why);
	check_native_arg(cc, n, index, &known.v[index]);
	return n;
}

struct node *check_named_arg(struct compiler *cc, struct node *n)
{
	const char *name = n->right->string;
	struct probe_args known = {0};

	if (!cc->desc)
		compile_fail(cc, D_ARGS_NONE, n->line,
			     "args[ ] may not be referenced outside of a probe clause");
	if (cc->probe && cc->probe->provider->argtypes)
		cc->probe->provider->argtypes(cc->probe, &known);
	for (unsigned i = 0; i < known.n; i++) {
		if (!known.v[i].name || strcmp(known.v[i].name, name) != 0)
			continue;
		n->ident = ident_find(cc->idents, SCOPE_GLOBAL, "args");
		n->is_lval = true;
		return check_probe_arg(cc, n, i);
	}
	compile_fail(cc, D_TYPE_MEMBER, n->line, "%s has no argument named %s%s%s", desc_text(cc),
		     name, known.why ? ": " : "", known.why ? known.why : "");
}
