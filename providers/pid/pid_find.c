/*
 * pid_find.c: the process and the modules that a description names, and what is said when there are
 * none.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "base/glob.h"
#include "dlang/errtags.h"
#include "providers/pid/pid_priv.h"

static struct pid_proc *proc_by_pid(const struct pid_world *pw, pid_t pid)
{
	struct pid_proc *pp = pw->procs;

	while (pp && (pp->pid != pid || pp->root))
		pp = pp->next;
	return pp;
}

static const char *last_digits(const char *prov)
{
	const char *p = prov + strlen(prov);

	while (p > prov && isdigit((unsigned char)p[-1]))
		p--;
	return p;
}

struct pid_proc *pid_find_proc(struct session *s, const char *prov, int *tag, struct err *err)
{
	struct pid_world *pw = pid_world_of(world_of(s));
	struct pid_proc *pp;
	unsigned long pid;
	struct err why;

	errno = 0;
	pid = strtoul(last_digits(prov), NULL, 10);
	if (!pid || pid > INT_MAX || errno) {
		pid_fail(tag, D_PROC_BADPID, err, "'%s' does not contain a valid pid", prov);
		return NULL;
	}
	pp = proc_by_pid(pw, (pid_t)pid);
	if (pp)
		return pp;
	if (world_of(s)->recording) {
		pid_fail(tag, D_PROC_GRAB, err,
			 "failed to grab process %lu: events come from a recording; a function "
			 "that perf probe -x PROGRAM has put a probe on is "
			 "linux-probe_PROGRAM:::FUNCTION there",
			 pid);
		return NULL;
	}
	if ((pid_t)pid == s->front_pid || (pid_t)pid == s->engine_pid)
		pid_fail(tag, D_PROC_DYN, err, "process %lu is dtrace itself", pid);
	else if (world_of(s)->grab(world_of(s), (pid_t)pid, &why) == 0)
		return proc_by_pid(pw, (pid_t)pid);
	else if (why.code == -ESRCH)
		pid_fail(tag, D_PROC_GRAB, err, "failed to grab process %lu", pid);
	else
		pid_fail(tag, D_PROC_GRAB, err, "failed to grab process %lu: %s", pid, why.text);
	return NULL;
}

void pid_forget_match(struct pid_proc *pp)
{
	free(pp->pattern);
	pp->pattern = NULL;
}

/* The modules of a pattern; the answer is kept, since probes are matched one after the other. */
unsigned pid_match_modules(struct pid_proc *pp, const char *pattern, struct module ***out)
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

/* ---- suggestions ---- */

static void suggest_functions(struct pid_proc *pp, const struct probe_desc *d,
			      void (*fn)(void *, const char *), void *arg)
{
	struct module **mods;
	unsigned n = pid_match_modules(pp, d->mod, &mods);

	for (unsigned i = 0; i < n; i++) {
		const struct objfile *o = module_objfile(mods[i], NULL);

		for (unsigned k = 0; o && k < o->nfuncs; k++)
			fn(arg, o->funcs[k].name);
	}
}

void pid_suggest(struct session *s, const struct probe_desc *d, enum desc_field field,
		 void (*fn)(void *, const char *), void *arg)
{
	const struct pid_world *pw = pid_world_of(world_of(s));

	for (struct pid_proc *pp = pw->procs; pp; pp = pp->next) {
		if (!pp->proc || strcmp(pp->digits, last_digits(d->prov)) != 0)
			continue;
		if (field == DESC_FUNC)
			suggest_functions(pp, d, fn, arg);
		for (const struct module *m = pp->modules->list; m && field == DESC_MOD;
		     m = m->next)
			fn(arg, m->name);
	}
}

const char *pid_why_none(struct session *s, const struct probe_desc *d)
{
	const struct pid_world *pw = pid_world_of(world_of(s));
	const struct pid_proc *pp = pw->procs;

	while (pp && strcmp(pp->digits, last_digits(d->prov)) != 0)
		pp = pp->next;
	if (!pp || !pp->proc || !d->mod[0] || modules_match(pp->modules, d->mod, NULL, 0))
		return NULL;
	return arena_printf(s->arena,
			    "process %d has not loaded %s; for a module that is loaded later: -Z, "
			    "or -p when it is there",
			    pp->pid, d->mod);
}
