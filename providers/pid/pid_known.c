/*
 * pid_known.c: the probes of a file's functions, by function: the next process that maps it has the
 * same ones, without a look at their names.
 */
#include <stddef.h>
#include <stdlib.h>

#include "providers/pid/pid_functions.h"

#define KINDS 2U /* entries and returns */

struct pid_known {
	unsigned nfuncs;
	struct pid_probe **v; /* KINDS of each function; NULL: not known */
};

struct pid_probe **pid_known_probe(struct pid_world *pw, const struct target_func *t,
				   enum pid_kind kind)
{
	struct pid_known *k;

	if (!t->func || !t->obj || t->name != t->func->name || t->home != t->mod ||
	    kind > PID_RETURN)
		return NULL;
	k = hash_get(&pw->known, (uintptr_t)t->obj);
	if (!k) {
		k = xcalloc(1, sizeof(*k));
		k->nfuncs = t->obj->nfuncs;
		k->v = xcalloc((size_t)k->nfuncs * KINDS, sizeof(struct pid_probe *));
		hash_put(&pw->known, (uintptr_t)t->obj, k);
	}
	if (t->func - t->obj->funcs >= (ptrdiff_t)k->nfuncs)
		return NULL;
	return &k->v[(size_t)(t->func - t->obj->funcs) * KINDS + kind];
}

void pid_known_free(struct pid_world *pw)
{
	struct pid_known *k;

	for (size_t i = 0; (k = hash_each(&pw->known, &i, NULL));) {
		free(k->v);
		free(k);
	}
	hash_release(&pw->known);
}
