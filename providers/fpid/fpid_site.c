/*
 * fpid_site.c: hooks as a kind of site: what the pid provider tells of processes and their sites
 * goes to those who keep hooks, if there are any.
 */
#include <stdlib.h>

#include "providers/fpid/fpid_claims.h"

/* ---- children ---- */

static void copy_begins(struct fork_copy *copy)
{
	struct pid_proc *child = copy->child;
	struct hooked_copy *hc = xcalloc(1, sizeof(*hc));
	struct hooks_fork_copy heir = {.proc = child->proc,
				       .rings = child->pw->rings,
				       .owner = child,
				       .functions = &hc->functions,
				       .is_whole = &hc->is_whole};
	struct err why;

	copy->hooked = hc;
	hash_init(&hc->functions);
	hash_init(&hc->sites);
	if (copy->parent->hooks && hooks_inherit(copy->parent->hooks, &heir, &child->hooks, &why))
		child->hooks = NULL; /* it has its code back, and is hooked like a new one */
}

static bool inherit(struct fork_copy *copy, const struct pid_site *from, struct module *m)
{
	struct pid_site what = *from, *site;
	struct hooked_copy *hc = copy->hooked;

	if (!copy->child->hooks ||
	    (!hc->is_whole && !hash_get(&hc->functions, from->addr + m->bias)))
		return false;
	what.mod = m;
	site = pid_link_site(copy->child, from->probe, &what);
	site->hook = HOOK_ON;
	site->how = from->how;
	site->is_half = from->is_half;
	site->counter = from->counter;
	if (from->proc->records)
		hash_put(&hc->sites, (uintptr_t)from, site);
	return true;
}

static void copy_ends(struct fork_copy *copy)
{
	if (copy->child->hooks)
		fpid_records_inherit(copy);
	hash_release(&copy->hooked->functions);
	hash_release(&copy->hooked->sites);
	free(copy->hooked);
	copy->hooked = NULL;
}

/* ---- the process ---- */

static bool fire(struct pid_proc *pp, struct event *ev)
{
	if (pp->claims)
		fpid_claims_hit(pp, ev);
	return pp->claims != NULL;
}

static void make_way(struct pid_proc *pp, taddr_t pc)
{
	if (pp->hooks)
		hooks_make_way(pp->hooks, pc);
}

static void unmapped(struct pid_proc *pp, const struct hash *functions)
{
	if (pp->hooks)
		fpid_unmapped(pp, functions);
}

static void part(struct session *s, struct pid_proc *pp)
{
	if (pp->hooks)
		fpid_part(s, pp);
}

static void born(struct pid_proc *pp, struct thread *t, taddr_t tcb)
{
	if (pp->hooks)
		hooks_born(pp->hooks, t, tcb);
}

static void left(struct pid_proc *pp, struct thread *t)
{
	if (pp->hooks)
		hooks_left(pp->hooks, t);
}

static void forked(struct pid_proc *pp, taddr_t tcb, int mem_fd)
{
	if (pp->hooks)
		hooks_forked(pp->hooks, tcb, mem_fd);
}

static bool has_code(const struct pid_proc *pp, taddr_t pc)
{
	return pp->hooks && hooks_have(pp->hooks, pc);
}

static void faulted(struct pid_proc *pp, struct code_fault *f)
{
	if (pp->hooks)
		fpid_faulted(pp, f);
}

const struct site_ops fpid_site_ops = {
	.provider = &prov_fpid,
	.letters = "fpid",
	.is_functions_only = true,
	.arm = fpid_arm,
	.hit = fpid_hot_hit,
	.drop = fpid_records_drop,
	.inherit = inherit,
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
