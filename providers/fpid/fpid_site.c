/*
 * fpid_site.c: hooks as a kind of site: what the pid provider tells of processes and their sites
 * goes to those who keep hooks, if there are any.
 */
#include <stdlib.h>

#include "inject/ring.h"
#include "providers/fpid/fpid_claims.h"
#include "providers/fpid/fpid_explain.h"
#include "providers/fpid/fpid_fold.h"
#include "providers/fpid/fpid_image.h"
#include "providers/pid/hookops.h"

/* ---- what it keeps ---- */

struct pid_site *fpid_first(const struct pid_proc *pp)
{
	return !pp->sites || pp->sites->fpid ? pp->sites : fpid_next(pp->sites);
}

struct pid_site *fpid_next(const struct pid_site *site)
{
	struct pid_site *next = site->next_in_proc;

	while (next && !next->fpid)
		next = next->next_in_proc;
	return next;
}

static void begin(struct pid_world *pw)
{
	pw->fpid = xcalloc(1, sizeof(*pw->fpid));
	hash_init(&pw->fpid->plans);
	hash_init(&pw->fpid->images);
}

static void end(struct pid_world *pw)
{
	fpid_rules_free(pw->fpid->rules);
	fpid_verdict_end(pw->fpid->scan);
	fpid_images_free(pw);
	fpid_plans_free(pw);
	fpid_explain_free(pw->fpid->explain);
	rings_free(pw->fpid->rings);
	free(pw->fpid);
	pw->fpid = NULL;
}

static void added(struct pid_proc *pp)
{
	pp->fpid = xcalloc(1, sizeof(*pp->fpid));
	hash_init(&pp->fpid->scans);
	pp->fpid->is_preloaded = pp->proc && proc_is_preloaded(pp->proc, NULL);
}

static void removed(struct pid_proc *pp)
{
	hash_release(&pp->fpid->scans);
	free(pp->fpid);
}

static void linked(struct pid_site *site)
{
	site->fpid = xcalloc(1, sizeof(*site->fpid));
}

static void drop(struct pid_site *site)
{
	fpid_records_drop(site);
	free(site->fpid);
}

static bool holds(const struct pid_site *site)
{
	return site->fpid->hook != HOOK_NONE;
}

/* ---- children ---- */

static void copy_begins(struct fork_copy *copy)
{
	struct pid_proc *child = copy->child;
	struct hooked_copy *hc = xcalloc(1, sizeof(*hc));
	struct hooks_fork_copy child_copy = {.proc = child->proc,
					     .rings = child->pw->fpid->rings,
					     .owner = child,
					     .functions = &hc->functions,
					     .is_whole = &hc->is_whole};
	struct err why;

	fpid_folds_show(copy->parent, 0);
	child->fpid->copied = hc;
	hash_init(&hc->functions);
	hash_init(&hc->sites);
	if (copy->parent->fpid->hooks &&
	    hooks_inherit(copy->parent->fpid->hooks, &child_copy, &child->fpid->hooks, &why))
		child->fpid->hooks = NULL; /* it has its code back, and is hooked like a new one */
}

static bool inherit(struct fork_copy *copy, const struct pid_site *from, struct module *m)
{
	struct pid_site what = *from, *site;
	struct hooked_copy *hc = copy->child->fpid->copied;

	if (from->fpid->hook != HOOK_ON || !copy->child->fpid->hooks ||
	    (!hc->is_whole && !hash_get(&hc->functions, from->func->addr + m->bias)))
		return false;
	what.mod = m;
	site = pid_link_site(copy->child, from->probe, &what);
	site->fpid->hook = HOOK_ON;
	site->fpid->how = from->fpid->how;
	site->fpid->is_half = from->fpid->is_half;
	site->fpid->counter = from->fpid->counter;
	if (from->proc->fpid->records)
		hash_put(&hc->sites, (uintptr_t)from, site);
	return true;
}

static void copy_ends(struct fork_copy *copy)
{
	struct fpid_proc *fp = copy->child->fpid;

	if (fp->hooks)
		fpid_records_inherit(copy);
	hash_release(&fp->copied->functions);
	hash_release(&fp->copied->sites);
	free(fp->copied);
	fp->copied = NULL;
}

/* ---- the process ---- */

static bool fire(struct pid_proc *pp, struct event *ev)
{
	if (pp->fpid->claims)
		fpid_claims_hit(pp, ev);
	return pp->fpid->claims != NULL;
}

static int make_way(struct pid_proc *pp, taddr_t pc, struct err *err)
{
	return pp->fpid->hooks ? hooks_make_way(pp->fpid->hooks, pc, err) : 0;
}

static void unmapped(struct pid_proc *pp, const struct hash *functions)
{
	if (pp->fpid->hooks)
		fpid_unmapped(pp, functions);
}

static void part(struct session *s, struct pid_proc *pp)
{
	if (pp->fpid->hooks)
		fpid_part(s, pp);
}

static void born(struct pid_proc *pp, struct thread *t, taddr_t tcb)
{
	if (pp->fpid->hooks)
		hooks_born(pp->fpid->hooks, t, tcb);
}

static void left(struct pid_proc *pp, struct thread *t)
{
	if (pp->fpid->hooks)
		hooks_left(pp->fpid->hooks, t);
}

static void forked(struct pid_proc *pp, taddr_t tcb, int mem_fd)
{
	if (pp->fpid->hooks)
		hooks_forked(pp->fpid->hooks, tcb, mem_fd);
}

static bool has_code(const struct pid_proc *pp, taddr_t pc)
{
	return pp->fpid->hooks && hooks_have(pp->fpid->hooks, pc);
}

static void faulted(struct pid_proc *pp, struct code_fault *f)
{
	if (pp->fpid->hooks)
		fpid_faulted(pp, f);
}

static const struct hook_ops hook_ops = {
	.begin = begin,
	.end = end,
	.added = added,
	.removed = removed,
	.recall = fpid_folds_recall,
	.show = fpid_folds_show,
	.copy_begins = copy_begins,
	.copy_ends = copy_ends,
	.fire = fire,
	.make_way = make_way,
	.settle = fpid_settle,
	.unmapped = unmapped,
	.collect = fpid_collect,
	.forget = fpid_forget,
	.poll = fpid_poll,
	.part = part,
	.leave = fpid_leave,
	.born = born,
	.left = left,
	.forked = forked,
	.has_code = has_code,
	.faulted = faulted,
};

/* clang-format off */
#define HOOK_SITES                                                                                 \
	.provider = &prov_fpid,                                                                    \
	.arm = fpid_arm,                                                                           \
	.hit = fpid_hot_hit,                                                                       \
	.linked = linked,                                                                          \
	.drop = drop,                                                                              \
	.holds = holds,                                                                            \
	.inherit = inherit,                                                                        \
	.hook_ops = &hook_ops
/* clang-format on */

const struct site_ops fpid_site_ops = {HOOK_SITES, .letters = "fpid", .is_files_only = true};
const struct site_ops pidhook_site_ops = {HOOK_SITES, .letters = "pid"};
