/*
 * pid_types.c: the types and symbols of the traced processes for the compiler, and the typed
 * arguments of their functions, from debug information.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "dlang/typesource.h"
#include "providers/pid/pid_priv.h"
#include "symbols/dwarf/dwarf.h"

#define MAX_MODULES 1024
#define MAX_PARAMS  64 /* in the type of a function */

/* The debug information of one file; `info` NULL: it has none. */
struct pid_debug {
	struct pid_debug *next;
	const struct objfile *file;
	struct dwarf *info;
};

/* ---- debug information ---- */

static void on_trouble(void *arg, const char *text)
{
	session_message(arg, MSG_ERR, false, "%s", text);
}

/* What the file has itself, else its separate debug file. */
static struct dwarf *open_debug(struct session *s, struct pid_world *pw, const struct module *m,
				const struct objfile *o)
{
	struct dwarf *d = NULL;
	struct err err = {0};
	char *path = NULL;
	int fd;

	if (!pw->dwarf_types)
		pw->dwarf_types = dwarf_types_new(&s->engine->types);
	fd = fcntl(objfile_fd(o), F_DUPFD_CLOEXEC, 0);
	if (fd >= 0 && dwarf_open(fd, m->name, pw->dwarf_types, &d, &err) == 0) {
		dwarf_set_place(d, objfile_own_path(o), objfile_root(o));
		dwarf_on_trouble(d, on_trouble, s);
		return d;
	}
	fd = err.code == -ENODATA ? objfile_debug_fd(o, &path) : -1;
	if (fd >= 0 && dwarf_open(fd, m->name, pw->dwarf_types, &d, &err) == 0)
		dwarf_set_place(d, path, objfile_root(o));
	free(path);
	if (!d && err.code != -ENODATA)
		on_trouble(s, err.text);
	if (d)
		dwarf_on_trouble(d, on_trouble, s);
	return d;
}

static struct dwarf *debug_of(struct session *s, struct module *m)
{
	struct pid_world *pw = pid_world_of(world_of(s));
	const struct objfile *o = module_objfile(m, NULL);
	struct pid_debug *pd = pw->debug;

	if (!o)
		return NULL;
	while (pd && pd->file != o)
		pd = pd->next;
	if (pd)
		return pd->info;
	pd = xcalloc(1, sizeof(*pd));
	pd->file = o;
	pd->info = open_debug(s, pw, m, o);
	pd->next = pw->debug;
	pw->debug = pd;
	return pd->info;
}

void pid_types_free(struct pid_world *pw)
{
	struct pid_debug *pd;

	while ((pd = pw->debug)) {
		pw->debug = pd->next;
		if (pd->info)
			dwarf_close(pd->info);
		free(pd);
	}
	if (pw->dwarf_types)
		dwarf_types_free(pw->dwarf_types);
	pw->dwarf_types = NULL;
}

/* ---- where to look ---- */

struct scope {
	struct place {
		struct pid_proc *pp;
		struct module *mod;
		bool is_program;
	} at[MAX_MODULES];
	unsigned n;
};

static void add_modules(struct scope *sc, struct pid_proc *pp, const char *pattern)
{
	struct module *program = modules_program(pp->modules), *found[MAX_MODULES];
	unsigned n = MIN(modules_match(pp->modules, pattern, found, MAX_MODULES), MAX_MODULES);

	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < n && sc->n < MAX_MODULES; i++)
			if ((found[i] == program) == (pass == 0))
				sc->at[sc->n++] = (struct place){pp, found[i], pass == 0};
}

/* "pid123`rest" → 123 and "rest" ("" without one); others: 0 and the text as it is. */
static pid_t split_pid(const char *text, const char **rest)
{
	char *end;
	unsigned long pid;

	*rest = text;
	if (strncmp(text, "pid", 3) != 0 || !isdigit((unsigned char)text[3]))
		return 0;
	pid = strtoul(text + 3, &end, 10);
	if ((*end && *end != '`') || pid > INT32_MAX)
		return 0;
	*rest = *end ? end + 1 : end;
	return (pid_t)pid;
}

/* The modules a name may mean: those of $target first, of each the program first. */
static void find_scope(struct session *s, const char *module, struct scope *sc)
{
	struct pid_world *pw = pid_world_of(world_of(s));
	const char *pattern = "";
	pid_t pid = module ? split_pid(module, &pattern) : 0;

	sc->n = 0;
	for (unsigned pass = 0; pass < 2; pass++)
		for (struct pid_proc *pp = pw->procs; pp; pp = pp->next)
			if (pp->proc && (!pid || pp->pid == pid) &&
			    (pp->pid == s->target_pid) == (pass == 0))
				add_modules(sc, pp, pattern);
}

static bool has_module(struct session *s, const char *module)
{
	struct scope sc;

	find_scope(s, module, &sc);
	return sc.n > 0;
}

/* ---- types ---- */

static const struct type *find_type(struct session *s, const char *module, const char *name)
{
	struct scope sc;

	find_scope(s, module, &sc);
	for (unsigned i = 0; i < sc.n; i++) {
		struct dwarf *d = debug_of(s, sc.at[i].mod);
		const struct type *t = d ? dwarf_type(d, name) : NULL;

		if (t)
			return t;
	}
	return NULL;
}

static bool complete_type(struct session *s, const struct type *forward)
{
	struct pid_world *pw = pid_world_of(world_of(s));
	const struct type *t;

	if (forward->body || (pw->dwarf_types && dwarf_complete(pw->dwarf_types, forward)))
		return true;
	t = forward->name ? find_type(s, NULL, forward->name) : NULL;
	if (!t || type_resolve(t)->kind == TYPE_FORWARD)
		return false;
	type_complete(forward, t);
	return true;
}

/* ---- symbols ---- */

static const struct type *function_type(struct session *s, const struct dwarf_func *f)
{
	const struct type *params[MAX_PARAMS];
	unsigned n = MIN(f->nparams, MAX_PARAMS);

	for (unsigned i = 0; i < n; i++)
		params[i] = f->params[i].type;
	return type_function(&s->engine->types, f->result, params, n, f->varargs);
}

/* A symbol that a module has, whose type it does not know, may be declared elsewhere. */
static const struct type *declared_type(struct session *s, const struct scope *sc, const char *name)
{
	struct dwarf_var v;

	for (unsigned i = 0; i < sc->n; i++) {
		struct dwarf *d = debug_of(s, sc->at[i].mod);

		if (d && dwarf_variable(d, name, 0, &v))
			return v.type;
	}
	return NULL;
}

/* What the loader has written for the code of a library. */
static enum symbol_answer symbol_of_library(const struct place *at, struct target_symbol *out)
{
	struct target *t = proc_target(at->pp->proc);
	struct objfile_tls where;
	struct module *musl;
	uint64_t word;

	if (!objfile_tls_word(module_objfile(at->mod, NULL), &where) ||
	    target_read(t, at->mod->bias + where.at, &word, sizeof(word)) != sizeof(word) || !word)
		return SYMBOL_PER_THREAD;
	if (where.is_offset) {
		if (word >> 63 == 0) /* a descriptor may hold a pointer instead */
			return SYMBOL_PER_THREAD;
		out->addr += word - where.less;
		return SYMBOL_FOUND;
	}
	/* glibc's vector has two words for each module */
	out->tls_word =
		(uint32_t)word * (modules_match(at->pp->modules, "ld-musl-*", &musl, 1) ? 8 : 16);
	return SYMBOL_FOUND;
}

/* psABI on thread-local storage, variant II: the executable's block ends where %fs points. */
static enum symbol_answer symbol_per_thread(const struct place *at, const struct objfile *o,
					    const struct dwarf_var *v, struct target_symbol *out)
{
	/* an offset in the block; with -gsplit-dwarf, gcc writes an address */
	uint64_t offset = v->addr < o->tls_size ? v->addr : v->addr - o->tls_addr;

	if (!v->has_addr || offset >= o->tls_size)
		return SYMBOL_PER_THREAD;
	out->type = v->type;
	out->addr = offset;
	out->is_tls = true;
	if (!at->is_program)
		return symbol_of_library(at, out);
	out->addr -= o->tls_size;
	return SYMBOL_FOUND;
}

static enum symbol_answer symbol_in(struct session *s, const struct place *at, const char *name,
				    struct target_symbol *out)
{
	struct module *m = at->mod;
	const struct objfile *o = module_objfile(m, NULL);
	struct dwarf *d;
	struct dwarf_func f;
	struct dwarf_var v;
	taddr_t addr;
	uint64_t size;
	bool is_there;

	if (!o)
		return SYMBOL_UNKNOWN;
	is_there = objfile_symbol(o, name, &addr, &size);
	d = debug_of(s, m);
	*out = (struct target_symbol){.module = m->name};
	if (d && dwarf_variable(d, name, is_there ? addr : 0, &v)) {
		if (v.is_tls)
			return symbol_per_thread(at, o, &v, out);
		if (!is_there && !v.has_addr)
			return v.is_gone ? SYMBOL_OPTIMIZED : SYMBOL_UNKNOWN;
		out->type = v.type;
		out->addr = m->bias + (is_there ? addr : v.addr);
		return SYMBOL_FOUND;
	}
	if (!is_there)
		return SYMBOL_UNKNOWN;
	if (d && dwarf_function(d, addr, &f))
		out->type = function_type(s, &f);
	out->addr = m->bias + addr;
	return SYMBOL_FOUND;
}

/* A name that no file has at its outermost level may be that of a function's own variable. */
static enum symbol_answer static_in(struct session *s, const struct place *at, const char *name,
				    struct target_symbol *out)
{
	const struct objfile *o = module_objfile(at->mod, NULL);
	struct dwarf *d = debug_of(s, at->mod);
	struct dwarf_var v;
	bool is_only;

	if (!o || !d || !dwarf_static(d, name, &v, &is_only))
		return SYMBOL_UNKNOWN;
	if (!is_only)
		return SYMBOL_AMBIGUOUS;
	*out = (struct target_symbol){
		.module = at->mod->name, .type = v.type, .addr = at->mod->bias + v.addr};
	return v.is_tls ? symbol_per_thread(at, o, &v, out) : SYMBOL_FOUND;
}

/* Another file may still have the symbol. */
static bool is_final(enum symbol_answer a)
{
	return a != SYMBOL_UNKNOWN && a != SYMBOL_OPTIMIZED;
}

static enum symbol_answer better(enum symbol_answer a, enum symbol_answer b)
{
	return b == SYMBOL_UNKNOWN ? a : b;
}

static enum symbol_answer find_symbol(struct session *s, const char *module, const char *name,
				      struct target_symbol *out)
{
	enum symbol_answer answer = SYMBOL_UNKNOWN;
	struct scope sc;

	find_scope(s, module, &sc);
	if (!sc.n && module)
		return SYMBOL_NO_MODULE;
	for (unsigned i = 0; i < sc.n && !is_final(answer); i++)
		answer = better(answer, symbol_in(s, &sc.at[i], name, out));
	for (unsigned i = 0; i < sc.n && !is_final(answer); i++)
		answer = better(answer, static_in(s, &sc.at[i], name, out));
	if (answer == SYMBOL_FOUND && !out->type)
		out->type = declared_type(s, &sc, name);
	return answer;
}

const struct typesource pid_typesource = {
	.type = find_type,
	.has_module = has_module,
	.complete = complete_type,
	.symbol = find_symbol,
};

/* ---- args[] ---- */

void pid_argtypes(struct probe *p, struct probe_args *args)
{
	struct pid_probe *pr = p->arg;
	const struct pid_site *site = pr->sites;
	struct dwarf_func f;
	struct dwarf *d;

	while (site && site->is_resolver)
		site = site->next;
	memset(args, 0, sizeof(*args));
	if (pr->kind == PID_OFFSET || !site || !site->func)
		return;
	d = debug_of(p->session, site->mod);
	if (d && dwarf_function(d, site->func->addr, &f)) {
		struct pid_world *pw = pid_world_of(world_of(p->session));

		if (pr->kind == PID_ENTRY)
			pid_entry_args(p->session, pw->dwarf_types, site->func, &f, args);
		else
			pid_return_args(p->session, pw->dwarf_types, &f, args);
		return;
	}
	args->why = arena_printf(p->session->arena, "%s of %s has no debug information", p->func,
				 site->mod->name);
}

/* -lv: where the code comes from, as far as the program says it without debug information (Go). */
void pid_detail(struct probe *p, struct strbuf *out)
{
	const struct pid_probe *pr = p->arg;
	const struct pid_site *site = pr->sites;
	const struct objfile *o = site && site->mod ? module_objfile(site->mod, NULL) : NULL;
	const char *file;
	unsigned line;

	if (o && objfile_go_line(o, site->addr, &file, &line))
		strbuf_addf(out, "\tSource\n\t\t%s:%u\n\n", file, line);
}
