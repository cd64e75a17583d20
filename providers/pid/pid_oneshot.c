/*
 * pid_oneshot.c: -x oneshot: each probe fires once, and costs nothing from then on. A breakpoint
 * does that with the least effort, also in place of a hook: one stop, and the instruction is what
 * it was; hits come one after the other, whichever threads and processes they are of.
 */
#include "providers/pid/pid_priv.h"

static int64_t how(const struct session *s)
{
	return opt(&s->options, OPT_ONESHOT);
}

bool pid_is_oneshot(const struct session *s)
{
	return how(s) != ONESHOT_OFF;
}

bool pid_is_spent(const struct pid_site *site)
{
	switch (how(site->probe->probe->session)) {
	case ONESHOT_PROCESS:
		return hash_get(&site->proc->spent, (uintptr_t)site->probe) != NULL;
	case ONESHOT_RUN:
		return site->probe->has_fired;
	default:
		return false;
	}
}

/* All that it has in that process. What only waits for an answer is no part of it. */
static void take_out(const struct pid_probe *pr, const struct pid_proc *pp)
{
	for (struct pid_site *site = pr->sites; site; site = site->next)
		if (site->proc == pp && !site->is_resolver)
			pid_disarm_now(site);
}

bool pid_spend(struct pid_site *site)
{
	struct pid_probe *pr = site->probe;
	bool fires = !pid_is_spent(site);

	take_out(pr, site->proc);
	site->proc->pw->nfired += !pr->has_fired;
	pr->has_fired = true;
	if (how(pr->probe->session) == ONESHOT_PROCESS)
		hash_put(&site->proc->spent, (uintptr_t)pr, pr);
	return fires;
}

void pid_spent_inherit(struct pid_proc *child, const struct pid_proc *parent)
{
	uint64_t key;
	void *pr;

	hash_expect(&child->spent, parent->spent.n);
	for (size_t i = 0; (pr = hash_each(&parent->spent, &i, &key));)
		hash_put(&child->spent, key, pr);
}

void pid_spent_forget(struct pid_proc *pp)
{
	hash_release(&pp->spent);
	hash_init(&pp->spent);
}

void pid_place_oneshot(const struct probe *p)
{
	probe_place(p, &(struct placement){.runs = RUNS_BREAKPOINT, .why = PID_ONESHOT});
}

void pid_begin_oneshot(struct probe *p)
{
	struct pid_probe *pr = p->arg;

	pid_place_oneshot(p);
	if (!pr->is_oneshot)
		pid_world_of(world_of(p->session))->noneshot++;
	pr->is_oneshot = true;
}

void pid_tell_spent(struct session *s)
{
	const struct pid_world *pw = pid_world_of(world_of(s));

	if (pw->noneshot)
		session_message(s, MSG_ERR, true, "oneshot: %u of %u probe%s ha%s fired",
				pw->nfired, pw->noneshot, pw->noneshot == 1 ? "" : "s",
				pw->noneshot == 1 ? "s" : "ve");
}
