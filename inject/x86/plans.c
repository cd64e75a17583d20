#include "inject/x86/plans.h"

#include <stdlib.h>
#include <string.h>

enum { KINDS = PLAN_ENTRY | PLAN_RETURN };

struct plans {
	struct codescan *scan;
	struct plan **made[KINDS]; /* by the kinds that are hooked, less 1: of each function */
};

struct plans *plans_new(struct objfile *o)
{
	struct plans *p = xcalloc(1, sizeof(*p));

	p->scan = codescan_new(o);
	return p;
}

static void free_plan(struct plan *p)
{
	if (p)
		free(p->windows);
	free(p);
}

void plans_free(struct plans *p)
{
	for (unsigned k = 0; k < KINDS; k++) {
		for (unsigned i = 0; p->made[k] && i < p->scan->o->nfuncs; i++)
			free_plan(p->made[k][i]);
		free(p->made[k]);
	}
	codescan_free(p->scan);
	free(p);
}

struct codescan *plans_scan(const struct plans *p)
{
	return codescan_copy(p->scan);
}

static struct plan copy_of(const struct plan *p)
{
	struct plan copy = *p;

	copy.windows = xcalloc(p->nwindows + 1, sizeof(*p->windows));
	copy.room = p->nwindows;
	if (p->nwindows)
		memcpy(copy.windows, p->windows, p->nwindows * sizeof(*p->windows));
	return copy;
}

/* What was not done for want of padding may be done in another process. */
static void keep(struct plans *p, unsigned i, const struct plan *made)
{
	struct plan ***of = &p->made[made->kinds - 1];

	if (!*of)
		*of = xcalloc(p->scan->o->nfuncs, sizeof(**of));
	if ((*of)[i])
		return;
	(*of)[i] = xcalloc(1, sizeof(struct plan));
	*(*of)[i] = copy_of(made);
}

struct plan plans_function(struct plans *p, struct codescan *scan, unsigned i, unsigned kinds)
{
	const struct plan *made = kinds && p->made[kinds - 1] ? p->made[kinds - 1][i] : NULL;
	struct plan fresh;

	if (made && plan_take(made, scan, i))
		return copy_of(made);
	fresh = plan_function(scan, i, kinds);
	if (fresh.kinds && fresh.kinds == kinds)
		keep(p, i, &fresh);
	return fresh;
}
