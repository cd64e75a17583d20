/*
 * pid_match.c: whether a description means a probe; and which of the names of one piece of code a
 * pattern means: code is probed once for each description, however many names it has.
 */
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "providers/pid/hookops.h"
#include "providers/pid/pid_priv.h"

#define MAX_NAME      1024 /* of a field */
#define MAX_SAME_NAME 64   /* functions of one name in one module */

/* ---- names of one piece of code ---- */

/* The name of an indirect function that has chosen it. */
struct alias {
	struct alias *next;
	const struct func *ifunc;
};

bool pid_all_aliases(const struct session *s)
{
	return opt(&s->options, OPT_ALIASES) == ALIASES_ALL;
}

void pid_alias_add(struct pid_proc *pp, taddr_t addr, const struct func *ifunc)
{
	struct alias *first = hash_get(&pp->aliases, addr), *a = first;

	while (a && a->ifunc != ifunc)
		a = a->next;
	if (a)
		return;
	a = xcalloc(1, sizeof(*a));
	*a = (struct alias){first, ifunc};
	hash_put(&pp->aliases, addr, a);
}

void pid_aliases_forget(struct pid_proc *pp)
{
	struct alias *a, *next;

	for (size_t i = 0; (a = hash_each(&pp->aliases, &i, NULL));)
		for (; a; a = next) {
			next = a->next;
			free(a);
		}
	hash_release(&pp->aliases);
	hash_init(&pp->aliases);
}

/* Such names are only matched by patterns that write their '@' or '.'; _init and _fini by none. */
static bool may_match(const char *pattern, const struct func *f)
{
	return !f->no_glob || (strchr(f->name, '.') && strchr(pattern, '.')) ||
	       (strchr(f->name, '@') && strchr(pattern, '@'));
}

bool pid_func_matches(struct objfile *o, const struct func *f, const char *pattern)
{
	return may_match(pattern, f) && (!pattern[0] || glob_match(pattern, f->name) ||
					 objfile_demangled_matches(o, f, pattern));
}

static unsigned underscores(const char *name)
{
	return (unsigned)strspn(name, "_");
}

/* The order of the manual: < 0: a's name is preferred. */
static int compare(const struct func *a, const struct func *b)
{
	size_t na = strlen(a->name), nb = strlen(b->name);
	int d;

	if ((d = a->is_cfi - b->is_cfi))
		return d;
	if ((d = a->is_local - b->is_local))
		return d;
	if ((d = (int)underscores(a->name) - (int)underscores(b->name)))
		return d;
	if (na != nb)
		return na < nb ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void take_better(struct objfile *o, const struct func *f, const char *pattern,
			const struct func **best)
{
	if (pid_func_matches(o, f, pattern) && (!*best || compare(f, *best) < 0))
		*best = f;
}

/* Functions of one address lie side by side; an indirect one is another's name. */
static void look_in_file(struct objfile *o, const struct func *at, const char *pattern,
			 const struct func **best)
{
	const struct func *first = at, *end = o->funcs + o->nfuncs;

	while (first > o->funcs && first[-1].addr == at->addr)
		first--;
	for (const struct func *f = first; f < end && f->addr == at->addr; f++)
		if (!f->is_ifunc)
			take_better(o, f, pattern, best);
}

bool pid_has_one_name(struct pid_proc *pp, struct module *m, const struct func *f)
{
	const struct objfile *o = module_objfile(m, NULL);

	if (!o || hash_get(&pp->aliases, f->addr + m->bias))
		return false;
	return (f == o->funcs || f[-1].addr != f->addr) &&
	       (f + 1 == o->funcs + o->nfuncs || f[1].addr != f->addr);
}

bool pid_is_preferred(struct pid_proc *pp, taddr_t addr, const char *pattern, const char *name)
{
	const struct alias *a = hash_get(&pp->aliases, addr);
	struct module *m = modules_at(pp->modules, addr);
	struct objfile *o = m ? module_objfile(m, NULL) : NULL;
	const struct func *best = NULL, *f = o ? objfile_at(o, addr - m->bias) : NULL;

	if (f && f->addr == addr - m->bias)
		look_in_file(o, f, pattern, &best);
	for (; a; a = a->next)
		take_better(o, a->ifunc, pattern, &best);
	return !best || !strcmp(best->name, name);
}

/* Where the function starts that the site is in. */
static taddr_t start_of(const struct pid_site *site)
{
	return (site->func ? site->func->addr : site->addr) + site->mod->bias;
}

bool pid_has_probe(struct pid_proc *pp, taddr_t addr, const char *pattern, const char *name)
{
	if (pp->pw->hook_ops)
		pp->pw->hook_ops->show(pp, addr);
	for (const struct pid_site *site = pp->sites; site; site = site->next_in_proc) {
		const struct probe *p = site->probe->probe;

		if (!site->is_resolver && p->enabled && site->probe->ops == pp->asked &&
		    start_of(site) == addr && strcmp(p->func, name) != 0 &&
		    (!pattern[0] || glob_match(pattern, p->func)))
			return true;
	}
	return false;
}

/* ---- descriptions ---- */

static bool module_means(const struct pid_probe *pr, const char *pattern)
{
	for (struct pid_site *site = pr->sites; site; site = site->next) {
		struct module **m;
		unsigned n = pid_match_modules(site->proc, pattern, &m);

		for (unsigned i = 0; i < n; i++)
			if (m[i] == site->mod)
				return true;
	}
	return false;
}

/* The function of that site by whose name the probe goes; NULL: that is another site's. */
static const struct func *named_after(const struct pid_site *site)
{
	return site->ifunc && !site->is_resolver ? NULL : site->func;
}

static bool is_demangled(const struct pid_probe *pr, const char *pattern)
{
	for (const struct pid_site *site = pr->sites; site; site = site->next) {
		const struct func *f = named_after(site);
		struct objfile *o = f ? module_objfile(site->mod, NULL) : NULL;

		if (o && objfile_demangled_matches(o, f, pattern))
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
			if (found[i] == named_after(site))
				return true;
	}
	return false;
}

/* By the name of one of its sites; or it only waits for answers. */
static bool is_preferred_probe(const struct pid_probe *pr, const char *pattern)
{
	bool waits = true;

	for (const struct pid_site *site = pr->sites; site; site = site->next) {
		if (site->is_resolver)
			continue;
		waits = false;
		if ((named_after(site) && pid_has_one_name(site->proc, site->mod, site->func)) ||
		    pid_is_preferred(site->proc, start_of(site), pattern, pr->probe->func))
			return true;
	}
	return waits;
}

/* Newer sites come first: as a rule it is the first one, or none. */
static bool has_site_in(const struct pid_probe *pr, const struct pid_proc *pp)
{
	const struct pid_site *site = pr->sites;

	while (site && site->proc != pp)
		site = site->next;
	return site;
}

bool pid_matches(const struct probe *p, const struct probe_desc *d)
{
	const struct pid_probe *pr = p->arg;
	const struct pid_proc *only = pid_world_of(world_of(p->session))->rematching;
	char name[MAX_NAME];

	if (pr->is_jit)
		return pid_jit_matches(pr, d);
	if (only && !has_site_in(pr, only))
		return false; /* nothing has come that it could mean */
	if (d->mod[0] && strcmp(d->mod, p->mod) != 0 && !module_means(pr, d->mod))
		return false;
	if (!d->func[0] || glob_is_pattern(d->func))
		return (!d->func[0] || glob_match(d->func, p->func) || is_demangled(pr, d->func)) &&
		       (pid_all_aliases(p->session) || is_preferred_probe(pr, d->func));
	glob_unescape(d->func, name, sizeof(name));
	return !strcmp(name, p->func) || is_alias(pr, name) || is_demangled(pr, name);
}
