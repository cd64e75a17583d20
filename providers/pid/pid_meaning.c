/*
 * pid_meaning.c: what the descriptions of the run mean in a module of one process, in short: which
 * of them name it, and what its indirect functions have chosen. Where two processes have the same
 * file and this is the same, they have the same probes and sites in it.
 */
#include <stdlib.h>

#include "providers/pid/pid_priv.h"

#define CLAUSES_MAX 64U

/* Of an indirect function. */
struct choice {
	const struct func *ifunc;
	taddr_t chosen[PID_CHOSEN_MAX]; /* link-time addresses */
	unsigned n;
};

struct pid_meaning {
	const struct objfile *file;
	const struct pid_proc *root; /* whose descriptions they are */
	uint64_t clauses;	     /* that name the module: one bit each */
	char *name;		     /* of the module, and so of its probes */
	unsigned nchoices;
	struct choice choices[];
};

static bool names_module(struct pid_proc *pp, const struct module *m, const char *pattern)
{
	struct module **mods;
	unsigned n = pid_match_modules(pp, pattern, &mods);

	for (unsigned i = 0; i < n; i++)
		if (mods[i] == m)
			return true;
	return false;
}

/* Whatever they are descriptions of. False: there are too many, or one is of an address, which may
 * be meant where the module lies and nowhere else. */
static bool find_clauses(struct pid_proc *pp, const struct module *m, uint64_t *out)
{
	unsigned i = 0;

	*out = 0;
	for (const struct program *pg = pp->pw->session->programs; pg; pg = pg->next)
		for (const struct clause *c = pg->clauses; c; c = c->next) {
			if (!strcmp(c->desc->func, "-") || i == CLAUSES_MAX)
				return false;
			if (names_module(pp, m, c->desc->mod))
				*out |= 1ULL << i;
			i++;
		}
	return true;
}

static void find_choice(struct pid_proc *pp, const struct module *m, const struct func *f,
			struct choice *out)
{
	*out = (struct choice){.ifunc = f};
	out->n = pid_ifunc_chosen(pp, m, f, out->chosen, PID_CHOSEN_MAX);
	for (unsigned i = 0; i < out->n; i++)
		out->chosen[i] -= m->bias;
}

struct pid_meaning *pid_meaning_of(struct pid_proc *pp, struct module *m)
{
	const struct objfile *o = module_objfile(m, NULL);
	struct pid_meaning *me;
	uint64_t clauses;
	unsigned n = 0;

	if (!o || !find_clauses(pp, m, &clauses))
		return NULL;
	for (unsigned i = 0; i < o->nfuncs; i++)
		n += o->funcs[i].is_ifunc;
	me = xcalloc(1, sizeof(*me) + n * sizeof(me->choices[0]));
	*me = (struct pid_meaning){.file = o, .root = pp->root, .clauses = clauses};
	me->name = xstrdup(m->name);
	for (unsigned i = 0; i < o->nfuncs; i++)
		if (o->funcs[i].is_ifunc)
			find_choice(pp, m, &o->funcs[i], &me->choices[me->nchoices++]);
	return me;
}

bool pid_meaning_is(const struct pid_meaning *a, const struct pid_meaning *b)
{
	if (a->file != b->file || a->root != b->root || a->clauses != b->clauses ||
	    a->nchoices != b->nchoices || strcmp(a->name, b->name) != 0)
		return false;
	for (unsigned i = 0; i < a->nchoices; i++) {
		const struct choice *x = &a->choices[i], *y = &b->choices[i];

		if (x->ifunc != y->ifunc || x->n != y->n ||
		    memcmp(x->chosen, y->chosen, x->n * sizeof(x->chosen[0])) != 0)
			return false;
	}
	return true;
}

void pid_meaning_learn(struct pid_proc *pp, const struct module *m, const struct pid_meaning *me)
{
	for (unsigned i = 0; i < me->nchoices; i++)
		for (unsigned k = 0; k < me->choices[i].n; k++)
			pid_alias_add(pp, me->choices[i].chosen[k] + m->bias, me->choices[i].ifunc);
}

void pid_meaning_free(struct pid_meaning *me)
{
	if (!me)
		return;
	free(me->name);
	free(me);
}
