/*
 * checkextern.c: what the traced programs give to a D program: external symbols (§1.4), their
 * types, and args[] (§4.6).
 */
#include "dlang/check.h"
#include "dlang/typesource.h"
#include "dlang/vm.h"

/* ---- types ---- */

const struct type *complete_type(struct compiler *cc, const struct type *t)
{
	const struct type *plain = type_resolve(t);
	const struct typesource *ts = cc->session->typesource;

	if (plain->kind == TYPE_FORWARD && ts && ts->complete(cc->session, plain))
		return type_resolve(plain);
	return plain;
}

const struct type *target_type(struct compiler *cc, const char *name)
{
	const struct typesource *ts = cc->session->typesource;
	const char *tick = strrchr(name, '`'), *word = strrchr(name, ' ');
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
	const struct typesource *ts = cc->session->typesource;
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

static void resolve_symbol(struct compiler *cc, const struct node *n, struct target_symbol *sym)
{
	const struct typesource *ts = cc->session->typesource;
	const char *tick = strrchr(n->string, '`');
	const char *module = arena_strndup(cc->arena, n->string, (size_t)(tick - n->string));

	if (!*module)
		module = NULL;
	switch (ts	 ? ts->symbol(cc->session, module, tick + 1, sym)
		: module ? SYMBOL_NO_MODULE
			 : SYMBOL_UNKNOWN) {
	case SYMBOL_FOUND:
		return;
	case SYMBOL_NO_MODULE:
		fail_symbol(cc, n, "Module is no longer loaded");
	case SYMBOL_UNKNOWN:
		fail_symbol(cc, n, "Unknown symbol name");
	case SYMBOL_PER_THREAD:
		fail_symbol(cc, n, "each thread has its own, so it has no address");
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
	n->type = sym.type ? sym.type : untyped;
	n->is_lval = true;
	n->is_userland = true;
	n->is_checked = true;
	complete_type(cc, n->type);
	note_userland(cc, n);
	return n;
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
	return a.data >= STAB_EVOLVING && (!*field || strpbrk(field, "*?[\\"));
}

/* May the first probe stand for all that the description matches? */
static bool is_stable_set(const struct compiler *cc)
{
	const struct provattrs *pa = cc->probe->provider->attrs;
	const struct probe_desc *d = cc->desc;

	return pa && pa->args.data >= STAB_EVOLVING && !is_vague(pa->module, d->mod) &&
	       !is_vague(pa->function, d->func) && !is_vague(pa->name, d->name);
}

void check_probe_arg(struct compiler *cc, struct node *n, uint64_t index)
{
	struct probe_args args = {0};
	const struct probe_arg *a;
	char text[TYPE_TEXT];

	if (cc->probe && cc->probe->provider->argtypes) {
		if (cc->nprobes > 1 && !is_stable_set(cc))
			compile_fail(cc, D_ARGS_MULTI, n->line,
				     "args[ ] may not be used: %s matches %u probes, whose "
				     "arguments may differ",
				     desc_text(cc), cc->nprobes);
		cc->probe->provider->argtypes(cc->probe, &args);
	}
	if (index >= args.n)
		compile_fail(cc, D_ARGS_IDX, n->line,
			     "index %lld is out of range for %s args[ ]%s%s", (long long)index,
			     desc_text(cc), args.why ? ": " : "", args.why ? args.why : "");
	a = &args.v[index];
	if (a->place == ARG_NOWHERE)
		compile_fail(cc, D_ARGS_TYPE, n->line, "args[%u] of %s is of type \"%s\": %s",
			     (unsigned)index, desc_text(cc), type_name(a->type, text, sizeof(text)),
			     a->why);
	n->arg = a;
	n->type = a->type;
	/* registers are copied to memory of ours, the pointers in them lead to the target */
	n->is_userland = !a->is_ours && (a->place == ARG_ADDRESS || a->place == ARG_STACK ||
					 type_is_pointer(a->type));
	complete_type(cc, n->type);
}
