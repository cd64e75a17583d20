#include "providers/fpid/fpid_fold.h"

#include <stdlib.h>

#include "providers/fpid/fpid_claims.h"
#include "providers/fpid/fpid_explain.h"
#include "providers/fpid/fpid_function.h"
#include "providers/fpid/fpid_image.h"
#include "providers/fpid/fpid_tally.h"

struct fpid_fold {
	struct fpid_fold *next;
	struct module *mod;
	struct fpid_image *image;
	bool is_settled;
	uint32_t cells; /* added to those of the image */
	struct folded {
		bool is_made;
		uint64_t counted; /* of its calls: handed over */
	} v[];
};

/* ---- sites of a fold ---- */

static struct pid_site *make(struct pid_proc *pp, struct fpid_fold *f, unsigned i)
{
	const struct image_site *as = &f->image->v[i];
	const struct pid_site what = {
		.mod = f->mod, .func = as->func, .ifunc = as->ifunc, .addr = as->addr};

	f->v[i].is_made = true;
	return pid_link_site(pp, as->probe, &what);
}

/* It is hooked. */
static void show(struct pid_proc *pp, struct fpid_fold *f, unsigned i)
{
	struct pid_site *site = make(pp, f, i);
	struct fpid_tally none = {0};
	struct err err;

	fpid_image_set(site, &f->image->v[i], f->cells, &none, &err);
	site->fpid->counted = f->v[i].counted;
}

void fpid_folds_show(struct pid_proc *pp, taddr_t function)
{
	for (struct fpid_fold *f = pp->fpid->folds; f; f = f->next) {
		taddr_t link_addr = function - f->mod->bias;

		if (!f->is_settled || (function && !module_has(f->mod, link_addr)))
			continue;
		for (unsigned i = 0; i < f->image->n; i++)
			if (!f->v[i].is_made && (!function || f->image->v[i].addr == link_addr))
				show(pp, f, i);
	}
}

/* ---- modules that are known ---- */

static bool may_fold(const struct pid_proc *pp)
{
	const struct session *s = pp->pw->session;

	return fpid_may_end_soon(pp) && !pp->fpid->no_hooks && !fpid_is_early(pp) &&
	       opt(&s->options, OPT_EXPLAIN) == EXPLAIN_OFF && !world_of(s)->is_verbose;
}

/* Enablings that have come since the image was made may ask for more. */
static bool only_counts(struct fpid_image *im, const struct session *s)
{
	uint32_t now = s->necbs;

	for (unsigned i = 0; i < im->n && im->nenablings != now; i++)
		if (!fpid_is_countable(im->v[i].probe->probe))
			return false;
	im->nenablings = now;
	return true;
}

/* NULL: none. */
static struct fpid_image *image_of(struct pid_proc *pp, struct module *m)
{
	const struct objfile *o = module_objfile(m, NULL);
	struct fpid_image *im = o ? hash_get(&pp->pw->fpid->images, (uintptr_t)o) : NULL;
	struct pid_meaning *me;

	while (im && !im->meaning)
		im = im->next;
	me = im ? pid_meaning_of(pp, m) : NULL;
	while (im && !(me && im->meaning && pid_meaning_is(im->meaning, me) &&
		       only_counts(im, pp->pw->session)))
		im = im->next;
	pid_meaning_free(me);
	return im;
}

static void fold(struct pid_proc *pp, struct module *m, struct fpid_image *im)
{
	struct fpid_fold *f = xcalloc(1, sizeof(*f) + im->n * sizeof(f->v[0]));
	struct fpid_fold **at = &pp->fpid->folds;

	f->mod = m;
	f->image = im;
	im->refs++;
	while (*at) /* in the order of modules: so their detours are in order, too */
		at = &(*at)->next;
	*at = f;
	pid_meaning_learn(pp, m, im->meaning);
	m->fresh = false;
}

void fpid_folds_recall(struct pid_proc *pp)
{
	unsigned n = pp->nsites;

	if (!may_fold(pp))
		return;
	for (const struct fpid_fold *f = pp->fpid->folds; f; f = f->next)
		n += f->image->n;
	for (struct module *m = pp->modules->list; m; m = m->next) {
		struct fpid_image *im = m->fresh && !m->gone ? image_of(pp, m) : NULL;

		if (!im || n + im->n > PID_SITES_MAX)
			continue;
		n += im->n;
		fold(pp, m, im);
	}
}

/* ---- hooking ---- */

unsigned fpid_folds_wanted(const struct pid_proc *pp)
{
	unsigned n = 0;

	for (const struct fpid_fold *f = pp->fpid->folds; f; f = f->next)
		n += f->is_settled ? 0 : f->image->n;
	return n;
}

/* The first image of the file that fits. The others mean the same, if anything. */
static bool hook(struct pid_proc *pp, struct fpid_fold *f)
{
	struct objfile *o = module_objfile(f->mod, NULL);
	struct err why;

	return o && pp->fpid->hooks &&
	       !hooks_add_image(pp->fpid->hooks, f->image->hooks, fpid_scan_of(pp, f->mod, o),
				f->mod->bias, &f->cells, &why);
}

static int make_waiting(struct pid_proc *pp, const struct fpid_fold *f, struct err *err)
{
	int r = 0;

	for (unsigned i = 0; i < f->image->nwaiting && !r; i++) {
		const struct image_waiting *w = &f->image->waiting[i];
		const struct pid_site what = {.mod = f->mod,
					      .func = w->func,
					      .ifunc = w->ifunc,
					      .addr = w->addr,
					      .is_resolver = true};

		r = fpid_arm(pid_link_site(pp, w->probe, &what), err);
	}
	return r;
}

/* Breakpoints, and what each process decides for itself. */
static int make_others(struct pid_proc *pp, struct fpid_fold *f, struct fpid_tally *t,
		       struct err *err)
{
	int r = 0;

	for (unsigned i = 0; i < f->image->n && !r; i++) {
		const struct image_site *as = &f->image->v[i];

		if (as->is_left)
			make(pp, f, i)->fpid->hook = HOOK_WANTED;
		else if (as->why)
			r = fpid_image_set(make(pp, f, i), as, f->cells, t, err);
	}
	return r;
}

static void make_all(struct pid_proc *pp, struct fpid_fold *f)
{
	for (unsigned i = 0; i < f->image->n; i++)
		make(pp, f, i)->fpid->hook = HOOK_WANTED;
}

static void free_fold(struct fpid_fold *f)
{
	fpid_image_free(f->image);
	free(f);
}

int fpid_folds_settle(struct pid_proc *pp, struct fpid_tally *t, struct err *err)
{
	struct fpid_fold **at = &pp->fpid->folds, *f;
	int r = 0;

	while ((f = *at) && !r) {
		if (f->is_settled) {
			at = &f->next;
			continue;
		}
		r = make_waiting(pp, f, err);
		f->is_settled = hook(pp, f);
		if (f->is_settled) {
			fpid_tally_add(t, &f->image->tally);
			r = r ? r : make_others(pp, f, t, err);
			at = &f->next;
		} else {
			make_all(pp, f);
			*at = f->next;
			free_fold(f);
		}
	}
	return r;
}

/* ---- what they count ---- */

static void collect_site(struct pid_proc *pp, struct fpid_fold *f, unsigned i, uint64_t n)
{
	struct event ev = {.probe = f->image->v[i].probe->probe,
			   .pid = pp->pid,
			   .tid = pp->pid,
			   .task = &pp->fpid->task};

	fpid_explain_counted(pp->pw, n - f->v[i].counted);
	event_count(ev.probe->session, &ev, n - f->v[i].counted);
	f->v[i].counted = n;
}

static void collect(struct pid_proc *pp, struct fpid_fold *f)
{
	uint32_t first = f->image->part.cell, ncells = f->image->part.end_cell - first;
	uint64_t *sums = xcalloc(ncells + 1, sizeof(*sums));

	hooks_cells(pp->fpid->hooks, first + f->cells, ncells, sums);
	for (unsigned i = 0; i < f->image->n; i++) {
		uint64_t n =
			f->v[i].is_made ? f->v[i].counted : sums[f->image->v[i].counter - first];

		if (n != f->v[i].counted)
			collect_site(pp, f, i, n);
	}
	free(sums);
}

void fpid_folds_collect(struct pid_proc *pp)
{
	for (struct fpid_fold *f = pp->fpid->folds; f && pp->fpid->hooks; f = f->next)
		if (f->is_settled)
			collect(pp, f);
}

void fpid_folds_forget(struct pid_proc *pp)
{
	struct fpid_fold *f;

	while ((f = pp->fpid->folds)) {
		pp->fpid->folds = f->next;
		free_fold(f);
	}
}
