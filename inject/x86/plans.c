#include "inject/x86/plans.h"

#include <stdlib.h>
#include <string.h>

#include "inject/x86/planfile.h"

#define SMALL_FILE 200 /* functions: its code is read faster than a file of the cache */
#define FEW_PLANS  100

/* What was asked for, and what came out. */
struct made_offsets {
	unsigned kinds, breakpoints, n;
	struct plan plan;
	struct made_offset {
		struct plan_offset asked;
		const char *why;
	} v[];
};

struct plans {
	struct planfile *kept; /* NULL: nothing of it is, from run to run */
	struct codescan *scan;
	bool is_scanned; /* in this run */
	unsigned nmade;
	struct plan *
		*made[PLANFILE_KINDS]; /* by the kinds that are hooked, less 1: of each function */
	struct made_offsets **offsets; /* of each function the first that was asked for */
};

struct plans *plans_new(struct objfile *o, int folder)
{
	struct plans *p = xcalloc(1, sizeof(*p));

	p->kept = o->nfuncs >= SMALL_FILE ? planfile_open(folder, o) : NULL;
	p->scan = p->kept ? planfile_scan(p->kept) : NULL;
	p->is_scanned = !p->scan;
	if (!p->scan)
		p->scan = codescan_new(o);
	return p;
}

void plans_keep(const struct plans *p, int folder)
{
	if (folder >= 0 && p->kept &&
	    (p->is_scanned || p->nmade > FEW_PLANS + planfile_nplans(p->kept) / 16))
		planfile_write(p->kept, folder, p->scan, p->made);
}

static void free_plan(struct plan *p)
{
	if (p)
		free(p->windows);
	free(p);
}

void plans_free(struct plans *p)
{
	for (unsigned k = 0; k < PLANFILE_KINDS; k++) {
		for (unsigned i = 0; p->made[k] && i < p->scan->o->nfuncs; i++)
			free_plan(p->made[k][i]);
		free(p->made[k]);
	}
	for (unsigned i = 0; p->offsets && i < p->scan->o->nfuncs; i++) {
		if (p->offsets[i])
			free(p->offsets[i]->plan.windows);
		free(p->offsets[i]);
	}
	free(p->offsets);
	codescan_free(p->scan);
	planfile_close(p->kept);
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
	p->nmade++;
}

struct plan plans_function(struct plans *p, struct codescan *scan, unsigned i, unsigned kinds)
{
	const struct plan *made = kinds && p->made[kinds - 1] ? p->made[kinds - 1][i] : NULL;
	struct plan fresh;

	if (made && plan_take(made, scan, i))
		return copy_of(made);
	if (!made && p->kept && planfile_plan(p->kept, i, kinds, &fresh)) {
		if (plan_take(&fresh, scan, i))
			return fresh;
		free(fresh.windows);
	}
	fresh = plan_function(scan, i, kinds);
	if (fresh.kinds && fresh.kinds == kinds)
		keep(p, i, &fresh);
	return fresh;
}

/* ---- with instructions ---- */

static bool is_asked(const struct made_offsets *m, unsigned kinds, unsigned breakpoints,
		     const struct plan_offset *offsets, unsigned n)
{
	bool same = m->kinds == kinds && m->breakpoints == breakpoints && m->n == n;

	for (unsigned k = 0; k < n && same; k++)
		same = m->v[k].asked.off == offsets[k].off && m->v[k].asked.why == offsets[k].why;
	return same;
}

static struct made_offsets *begin_offsets(unsigned kinds, unsigned breakpoints,
					  const struct plan_offset *offsets, unsigned n)
{
	struct made_offsets *m = xcalloc(1, sizeof(*m) + n * sizeof(m->v[0]));

	*m = (struct made_offsets){.kinds = kinds, .breakpoints = breakpoints, .n = n};
	for (unsigned k = 0; k < n; k++)
		m->v[k].asked = offsets[k];
	return m;
}

struct plan plans_offsets(struct plans *p, struct codescan *scan, unsigned i, unsigned kinds,
			  unsigned breakpoints, struct plan_offset *offsets, unsigned n)
{
	struct made_offsets *m = p->offsets ? p->offsets[i] : NULL;
	struct plan fresh;

	if (m && is_asked(m, kinds, breakpoints, offsets, n) && plan_take(&m->plan, scan, i)) {
		for (unsigned k = 0; k < n; k++)
			offsets[k].why = m->v[k].why;
		return copy_of(&m->plan);
	}
	if (m)
		return plan_offsets(scan, i, kinds, breakpoints, offsets, n);
	m = begin_offsets(kinds, breakpoints, offsets, n);
	fresh = plan_offsets(scan, i, kinds, breakpoints, offsets, n);
	for (unsigned k = 0; k < n; k++)
		m->v[k].why = offsets[k].why;
	m->plan = copy_of(&fresh);
	if (!p->offsets)
		p->offsets = xcalloc(scan->o->nfuncs, sizeof(struct made_offsets *));
	p->offsets[i] = m;
	return fresh;
}
