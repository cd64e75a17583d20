#include "providers/fpid/fpid_image.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "inject/textcopy.h"
#include "providers/fpid/fpid_claims.h"
#include "providers/fpid/fpid_explain.h"
#include "providers/fpid/fpid_function.h"
#include "providers/fpid/fpid_tally.h"

#define FEW  32 /* sites, for which it is not worth anything */
#define MOST 4	/* images of a file: what is mapped beside it differs */

/* ---- batches ---- */

static struct fpid_batch *new_batch(struct pid_proc *pp, struct module *mod)
{
	struct fpid_batch *b = xcalloc(1, sizeof(*b));

	b->proc = pp;
	b->mod = mod;
	return b;
}

static void add(struct fpid_batch *b, struct pid_site *site)
{
	if (b->n == b->room) {
		b->room = b->room ? 2 * b->room : 1024;
		b->v = xrealloc(b->v, b->room * sizeof(struct pid_site *));
	}
	b->v[b->n++] = site;
}

struct fpid_batch *fpid_batches_new(struct pid_proc *pp)
{
	struct fpid_batch *first = NULL, **end = &first, *b = NULL;
	struct hash of;

	hash_init(&of);
	for (struct pid_site *site = fpid_first(pp); site; site = fpid_next(site)) {
		if (site->fpid->hook != HOOK_WANTED)
			continue;
		if (!b || b->mod != site->mod)
			b = hash_get(&of, (uintptr_t)site->mod);
		if (!b) {
			*end = b = new_batch(pp, site->mod);
			end = &b->next;
			hash_put(&of, (uintptr_t)site->mod, b);
		}
		add(b, site);
	}
	hash_release(&of);
	return first;
}

void fpid_batches_free(struct fpid_batch *b)
{
	while (b) {
		struct fpid_batch *next = b->next;

		free(b->v);
		free(b);
		b = next;
	}
}

/* Only entries and returns, and only counting. */
static bool is_simple(const struct fpid_batch *b)
{
	if (b->n < FEW || !b->proc->fpid->hooks || !fpid_may_end_soon(b->proc))
		return false;
	for (unsigned i = 0; i < b->n; i++)
		if (!b->v[i]->func || !fpid_kind_of(b->v[i]) ||
		    !fpid_is_countable(b->v[i]->probe->probe))
			return false;
	return true;
}

struct textcopies *fpid_copies(const struct pid_proc *pp)
{
	struct fpid_world *fw = pp->pw->fpid;

	if (!fpid_may_end_soon(pp) || !opt_on(&pp->pw->session->options, OPT_FPIDCOPY))
		return NULL;
	if (!fw->copies)
		fw->copies = textcopies_new();
	return fw->copies;
}

void fpid_copies_tell(struct pid_world *pw)
{
	struct fpid_world *fw = pw->fpid;
	const char *why = fw->copies ? textcopies_why(fw->copies) : NULL;

	if (!why || fw->is_copyless)
		return;
	fw->is_copyless = true;
	session_message(pw->session, MSG_ERR, false, "fpid: %s", why);
}

/* ---- using one ---- */

static bool is_of(const struct fpid_image *im, const struct fpid_batch *b)
{
	if (im->n != b->n)
		return false;
	for (unsigned i = 0; i < im->n; i++)
		if (im->v[i].probe != b->v[i]->probe || im->v[i].func != b->v[i]->func)
			return false;
	return true;
}

/* The first that fits the process, and is hooked there. */
static const struct fpid_image *hook_as(const struct fpid_batch *b, struct objfile *o,
					uint32_t *cells)
{
	struct pid_proc *pp = b->proc;
	const struct fpid_image *im = hash_get(&pp->pw->fpid->images, (uintptr_t)o);
	struct err why;

	while (im && !(is_of(im, b) &&
		       !hooks_add_image(pp->fpid->hooks, im->hooks, fpid_scan_of(pp, b->mod, o),
					b->mod->bias, cells, &why)))
		im = im->next;
	return im;
}

int fpid_image_set(struct pid_site *site, const struct image_site *as, uint32_t cells,
		   struct fpid_tally *t, struct err *err)
{
	struct err why;

	if (as->is_left)
		return 0;
	site->fpid->how = as->how;
	site->fpid->is_half = as->is_half;
	if (as->why) {
		err_set(&why, -EINVAL, "%s", as->why);
		return fpid_fall_back(site, &why, t, err);
	}
	site->fpid->hook = HOOK_ON;
	site->fpid->counter = as->counter + cells;
	site->fpid->counted = 0;
	return 0;
}

bool fpid_image_use(const struct fpid_batch *b, struct fpid_tally *t, int *r, struct err *err)
{
	struct objfile *o = is_simple(b) ? module_objfile(b->mod, NULL) : NULL;
	const struct fpid_image *im;
	uint32_t cells;

	im = o ? hook_as(b, o, &cells) : NULL;
	*r = 0;
	if (!im)
		return false;
	for (unsigned i = 0; i < b->n && !*r; i++)
		*r = fpid_image_set(b->v[i], &im->v[i], cells, t, err);
	fpid_tally_add(t, &im->tally);
	return true;
}

/* ---- making one ---- */

void fpid_image_free(struct fpid_image *im)
{
	if (--im->refs)
		return;
	hookimage_free(im->hooks);
	pid_meaning_free(im->meaning);
	free(im->waiting);
	free(im);
}

struct fpid_image *fpid_image_begin(const struct fpid_batch *b)
{
	struct fpid_image *im;

	if (!is_simple(b) || hooks_are_in(b->proc->fpid->hooks, b->mod->start, b->mod->end))
		return NULL;
	im = xcalloc(1, sizeof(*im) + b->n * sizeof(im->v[0]));
	im->refs = 1;
	im->mod = b->mod;
	im->n = b->n;
	hooks_begin_part(b->proc->fpid->hooks, b->n, &im->part);
	return im;
}

void fpid_image_end(struct fpid_image *im, const struct fpid_batch *b, const struct fpid_tally *t)
{
	struct fpid_proc *fp = b->proc->fpid;

	hooks_end_part(fp->hooks, &im->part);
	im->tally = *t;
	for (unsigned i = 0; i < b->n; i++) {
		const struct pid_site *site = b->v[i];
		bool is_on = site->fpid->hook == HOOK_ON;

		im->v[i] = (struct image_site){.probe = site->probe,
					       .func = site->func,
					       .ifunc = site->ifunc,
					       .addr = site->addr,
					       .how = site->fpid->how,
					       .is_half = site->fpid->is_half,
					       .counter = site->fpid->counter,
					       .why = is_on ? NULL : site->fpid->why};
	}
	im->next = fp->learnt;
	fp->learnt = im;
}

/* The newest one first, and no more than MOST. */
static void keep(struct pid_world *pw, const struct objfile *o, struct fpid_image *im)
{
	struct fpid_image *last = im;

	im->next = hash_get(&pw->fpid->images, (uintptr_t)o);
	hash_put(&pw->fpid->images, (uintptr_t)o, im);
	for (unsigned i = 1; i < MOST && last; i++)
		last = last->next;
	if (last && last->next) {
		fpid_image_free(last->next);
		last->next = NULL;
	}
}

/* A thread may have stood there: that says nothing of others. False: they cannot be told apart. */
static bool leave_blocked(struct fpid_image *im, const struct hash *blocked)
{
	struct hash left;
	bool ok = true;

	hash_init(&left);
	for (unsigned i = 0; i < im->n && blocked->n; i++) {
		struct image_site *e = &im->v[i];

		if (!hash_get(blocked, e->func->addr + im->mod->bias))
			continue;
		e->is_left = true;
		ok &= !e->is_half;
		hash_put(&left, (uintptr_t)e->func, im);
	}
	im->tally.hooked -= (unsigned)left.n;
	hash_release(&left);
	return ok;
}

/* Sites of its module that are not of the batch. False: some do not wait for an answer. */
static bool take_waiting(struct fpid_image *im, const struct pid_proc *pp)
{
	unsigned n = 0;

	for (const struct pid_site *site = pp->sites; site; site = site->next_in_proc) {
		n += site->mod == im->mod && !site->is_resolver;
		if (site->mod != im->mod || !site->is_resolver)
			continue;
		im->waiting = xrealloc(im->waiting, (im->nwaiting + 1) * sizeof(*im->waiting));
		im->waiting[im->nwaiting++] =
			(struct image_waiting){site->probe, site->func, site->ifunc, site->addr};
	}
	return n == im->n;
}

/* Processes that have a file for the first time are few. */
static void take_meaning(struct fpid_image *im, struct pid_proc *pp)
{
	if (!take_waiting(im, pp))
		return;
	im->meaning = pid_meaning_of(pp, im->mod);
	im->nenablings = pp->pw->session->necbs;
}

void fpid_images_keep(struct pid_proc *pp, const struct hash *blocked)
{
	struct fpid_image *im, *next;

	for (im = pp->fpid->learnt; im; im = next) {
		bool may_keep = blocked && !im->mod->gone && leave_blocked(im, blocked);
		const struct objfile *o = may_keep ? module_objfile(im->mod, NULL) : NULL;

		next = im->next;
		im->hooks = o ? hookimage_new(pp->fpid->hooks, &im->part, im->mod->bias) : NULL;
		if (im->hooks) {
			take_meaning(im, pp);
			keep(pp->pw, o, im);
		} else {
			fpid_image_free(im);
		}
	}
	pp->fpid->learnt = NULL;
}

void fpid_images_free(struct pid_world *pw)
{
	struct fpid_image *im, *next;

	for (size_t i = 0; (im = hash_each(&pw->fpid->images, &i, NULL));)
		for (; im; im = next) {
			next = im->next;
			fpid_image_free(im);
		}
	hash_release(&pw->fpid->images);
	textcopies_free(pw->fpid->copies);
}
