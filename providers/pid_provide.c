/*
 * pid_provide.c: which functions a description of the pid provider means, and their probes
 * (pid-engine.md §1.1-1.4; texts of errors: d-language.md §17).
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/glob.h"
#include "base/strbuf.h"
#include "dlang/errtags.h"
#include "providers/pid.h"

#define MAX_NAME	1024 /* of a field; longer ones are refused by the parser */
#define MAX_SAME_NAME	64   /* functions of one name in one module */
#define MAX_SUGGESTIONS 3

/* The functions a description means, and by which names. */
struct target_list {
	struct target_func {
		struct module *mod;
		struct objfile *obj;
		const struct func *func;
	} * v;
	unsigned n, room;
};

static int fail(int *tag, int which, struct err *err, const char *fmt, ...) PRINTF_LIKE(4, 5);

static int fail(int *tag, int which, struct err *err, const char *fmt, ...)
{
	char text[sizeof(err->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	*tag = which;
	err_set(err, -EINVAL, "%s", text);
	return -EINVAL;
}

static bool is_literal(const char *field)
{
	return field[0] && !glob_is_pattern(field);
}

/* "pid" and digits only: "pidx1" and "pid1x" are nobody's. */
bool pid_on_demand(const char *prov)
{
	const char *p = prov;

	if (strncmp(prov, "pid", 3) != 0)
		return false;
	for (p += 3; isdigit((unsigned char)*p); p++)
		;
	return p != prov + 3 && !*p;
}

/* ---- the process ---- */

/* The process of a provider name. NULL: tag and err say why it cannot be traced. */
static struct pid_proc *find_proc(struct session *s, const char *prov, int *tag, struct err *err)
{
	struct pid_world *pw = pid_world_of(s->world);
	unsigned long pid;

	errno = 0;
	pid = strtoul(prov + 3, NULL, 10);
	if (!pid || pid > INT_MAX || errno) {
		fail(tag, D_PROC_BADPID, err, "'%s' does not contain a valid pid", prov);
		return NULL;
	}
	for (struct pid_proc *pp = pw->procs; pp; pp = pp->next)
		if (pp->pid == (pid_t)pid)
			return pp;
	if ((pid_t)pid == s->front_pid || (pid_t)pid == s->engine_pid)
		fail(tag, D_PROC_DYN, err, "process %lu is dtrace itself", pid);
	else if (kill((pid_t)pid, 0) == 0 || errno == EPERM)
		fail(tag, D_PROC_GRAB, err,
		     "failed to grab process %lu: only processes started with -c can be traced yet",
		     pid);
	else
		fail(tag, D_PROC_GRAB, err, "failed to grab process %lu", pid);
	return NULL;
}

void pid_forget_match(struct pid_proc *pp)
{
	free(pp->pattern);
	pp->pattern = NULL;
}

/* The modules of a pattern; the answer is kept, since probes are matched one after the other. */
static unsigned match_modules(struct pid_proc *pp, const char *pattern, struct module ***out)
{
	if (!pp->pattern || strcmp(pp->pattern, pattern) != 0) {
		unsigned n = modules_match(pp->modules, pattern, NULL, 0);

		pid_forget_match(pp);
		free(pp->matched);
		pp->pattern = xstrdup(pattern);
		pp->matched = xcalloc(n + 1, sizeof(struct module *));
		pp->nmatched = modules_match(pp->modules, pattern, pp->matched, n);
	}
	*out = pp->matched;
	return pp->nmatched;
}

/* ---- the functions ---- */

static void add_target(struct target_list *l, struct module *m, struct objfile *o,
		       const struct func *f)
{
	if (l->n == l->room) {
		l->room = l->room ? l->room * 2 : 64;
		l->v = xrealloc(l->v, l->room * sizeof(*l->v));
	}
	l->v[l->n++] = (struct target_func){m, o, f};
}

/* Such names are only matched by patterns that write their '@' or '.'; _init and _fini by none. */
static bool glob_may_match(const char *pattern, const struct func *f)
{
	return !f->no_glob || (strchr(f->name, '.') && strchr(pattern, '.')) ||
	       (strchr(f->name, '@') && strchr(pattern, '@'));
}

static void functions_of(struct module *m, struct objfile *o, const char *pattern,
			 struct target_list *l)
{
	const struct func *found[MAX_SAME_NAME];
	char name[MAX_NAME];
	unsigned n;

	if (is_literal(pattern)) {
		glob_unescape(pattern, name, sizeof(name));
		n = objfile_find(o, name, found, MAX_SAME_NAME);
		for (unsigned i = 0; i < MIN(n, MAX_SAME_NAME); i++)
			add_target(l, m, o, found[i]);
		return;
	}
	for (unsigned i = 0; i < o->nfuncs; i++)
		if (glob_may_match(pattern, &o->funcs[i]) &&
		    (!pattern[0] || glob_match(pattern, o->funcs[i].name)))
			add_target(l, m, o, &o->funcs[i]);
}

static bool has_names(const struct objfile *o)
{
	for (unsigned i = 0; i < o->nfuncs; i++)
		if (!o->funcs[i].is_cfi)
			return true;
	return false;
}

static int no_such_function(const struct probe_desc *d, struct module *m, int *tag, struct err *err)
{
	const struct objfile *o = module_objfile(m, NULL);
	const char *near[MAX_SUGGESTIONS];
	unsigned n = o ? objfile_suggest(o, d->func, near, MAX_SUGGESTIONS) : 0;
	struct strbuf hint;

	strbuf_init(&hint);
	for (unsigned i = 0; i < n; i++)
		strbuf_addf(&hint, "%s%s",
			    i == 0	? "; did you mean "
			    : i + 1 < n ? ", "
					: " or ",
			    near[i]);
	if (n)
		strbuf_addc(&hint, '?');
	else if (o && !has_names(o))
		strbuf_adds(&hint, "; it is stripped: its functions are called sub_<address>");
	fail(tag, D_PROC_FUNC, err, "failed to lookup '%s' in module '%s'%s", d->func, d->mod,
	     hint.s);
	strbuf_release(&hint);
	return -EINVAL;
}

/* ---- the probe name ---- */

static bool is_hex(const char *s)
{
	return s[0] && strspn(s, "0123456789abcdefABCDEF") == strlen(s);
}

/*
 * Which probes of a function a name means. Offsets are not available yet: a pattern that means them
 * too (every function has an offset 0) must not silently give less.
 */
static int parse_name(const struct probe_desc *d, const char *func, bool *entry, bool *ret,
		      int *tag, struct err *err)
{
	if (is_literal(d->name)) {
		char name[MAX_NAME];

		glob_unescape(d->name, name, sizeof(name));
		*entry = !strcmp(name, "entry");
		*ret = !strcmp(name, "return");
		if (*entry || *ret)
			return 0;
		if (!is_hex(name))
			return fail(tag, D_PROC_NAME, err, "'%s' is an invalid probe name",
				    d->name);
		return fail(tag, D_PROC_NAME, err,
			    "probe '%s' of function '%s' is an instruction offset: these are not "
			    "available yet, only entry and return",
			    d->name, func);
	}
	*entry = glob_match(d->name, "entry");
	*ret = glob_match(d->name, "return");
	if (d->name[0] && !glob_match(d->name, "0") && (*entry || *ret))
		return 0;
	return fail(tag, D_PROC_NAME, err,
		    "probe name '%s' means instruction offsets: these are not available yet, only "
		    "entry and return",
		    d->name);
}

/* The function '-': the name is an absolute address. */
static int absolute_address(struct pid_proc *pp, const struct probe_desc *d, int *tag,
			    struct err *err)
{
	struct module **m;
	unsigned n = d->mod[0] ? match_modules(pp, d->mod, &m) : 0;

	if (d->mod[0] && n == 0)
		return 0;
	if (d->mod[0] && (n != 1 || !m[0]->is_program))
		return fail(tag, D_PROC_LIB, err,
			    "only the a.out module is valid with the '-' function");
	if (!is_literal(d->name))
		return fail(tag, D_PROC_NAME, err,
			    "only individual addresses may be specified with the '-' function");
	if (!is_hex(d->name))
		return fail(tag, D_PROC_NAME, err, "'%s' is an invalid probe name", d->name);
	return fail(
		tag, D_PROC_NAME, err,
		"probe '%s' is an absolute address: these are not available yet, only entry and "
		"return of functions",
		d->name);
}

/* ---- probes ---- */

static struct pid_probe *probe_of(struct session *s, struct pid_proc *pp,
				  const struct target_func *t, bool is_return)
{
	struct probe *p = probe_create(s, &prov_pid, pp->prov, t->mod->name, t->func->name,
				       is_return ? "return" : "entry", NULL);
	struct pid_probe *pr = p->arg;

	if (!pr) {
		pr = ARENA_NEW(s->arena, struct pid_probe);
		pr->probe = p;
		pr->is_return = is_return;
		p->arg = pr;
	}
	return pr;
}

static int add_site(struct session *s, struct pid_proc *pp, const struct target_func *t,
		    bool is_return, bool exact, struct err *err)
{
	const struct retsite *rets;
	struct pid_probe *pr;
	struct pid_site *site;
	bool decoded;

	if (is_return && !objfile_retsites(t->obj, t->func, &rets, &decoded))
		return 0; /* it never returns */
	pr = probe_of(s, pp, t, is_return);
	pr->exact |= exact;
	for (site = pr->sites; site; site = site->next)
		if (site->func == t->func && site->mod == t->mod)
			return 0;
	site = xcalloc(1, sizeof(*site));
	site->probe = pr;
	site->proc = pp;
	site->mod = t->mod;
	site->func = t->func;
	site->next = pr->sites;
	pr->sites = site;
	site->next_in_proc = pp->sites;
	pp->sites = site;
	return pr->probe->enabled ? pid_arm(site, err) : 0;
}

static int add_sites(struct session *s, struct pid_proc *pp, const struct probe_desc *d,
		     const struct target_list *l, int *tag, struct err *err)
{
	bool entry = false, ret = false;
	int r = l->n ? parse_name(d, l->v[0].func->name, &entry, &ret, tag, err) : 0;

	for (unsigned i = 0; i < l->n && !r; i++) {
		bool exact = is_literal(d->func);

		if (entry)
			r = add_site(s, pp, &l->v[i], false, exact, err);
		if (ret && !r)
			r = add_site(s, pp, &l->v[i], true, exact, err);
		if (r)
			*tag = D_PROC_CREATEFAIL;
	}
	return r;
}

int pid_provide(struct session *s, const struct probe_desc *d, int *tag, struct err *err)
{
	struct pid_world *pw = pid_world_of(s->world);
	bool lenient = pw->rematching || opt_on(&s->options, OPT_ZDEFS);
	struct target_list l = {0};
	struct pid_proc *pp;
	struct module **mods;
	unsigned n;
	int r = 0;

	if (!d)
		return 0;
	pp = find_proc(s, d->prov, tag, err);
	if (!pp)
		return -EINVAL;
	if (!pp->proc)
		return 0;
	if (!strcmp(d->func, "-"))
		return absolute_address(pp, d, tag, err);
	n = match_modules(pp, d->mod, &mods);
	for (unsigned i = 0; i < n && !r; i++) {
		struct objfile *o;
		struct err why;

		if (pw->rematching && !mods[i]->fresh)
			continue;
		o = module_objfile(mods[i], &why);
		if (o)
			functions_of(mods[i], o, d->func, &l);
		else if (is_literal(d->mod) && !lenient)
			r = fail(tag, D_PROC_CREATEFAIL, err,
				 "failed to create probes in module '%s': %s", d->mod, why.text);
	}
	if (!r && n && !l.n && is_literal(d->func) && is_literal(d->mod) && !lenient)
		r = no_such_function(d, mods[0], tag, err);
	if (!r)
		r = add_sites(s, pp, d, &l, tag, err);
	free(l.v);
	return r;
}

/* ---- matching ---- */

static bool module_means(const struct pid_probe *pr, const char *pattern)
{
	for (struct pid_site *site = pr->sites; site; site = site->next) {
		struct module **m;
		unsigned n = match_modules(site->proc, pattern, &m);

		for (unsigned i = 0; i < n; i++)
			if (m[i] == site->mod)
				return true;
	}
	return false;
}

static bool is_alias(const struct pid_probe *pr, const char *name)
{
	for (const struct pid_site *site = pr->sites; site; site = site->next) {
		const struct func *found[MAX_SAME_NAME];
		const struct objfile *o = module_objfile(site->mod, NULL);
		unsigned n = o ? objfile_find(o, name, found, MAX_SAME_NAME) : 0;

		for (unsigned i = 0; i < MIN(n, MAX_SAME_NAME); i++)
			if (found[i] == site->func)
				return true;
	}
	return false;
}

bool pid_matches(const struct probe *p, const struct probe_desc *d)
{
	const struct pid_probe *pr = p->arg;
	char name[MAX_NAME];

	if (d->mod[0] && strcmp(d->mod, p->mod) != 0 && !module_means(pr, d->mod))
		return false;
	if (!d->func[0])
		return true;
	if (glob_is_pattern(d->func))
		return glob_match(d->func, p->func);
	glob_unescape(d->func, name, sizeof(name));
	return !strcmp(name, p->func) || is_alias(pr, name);
}
