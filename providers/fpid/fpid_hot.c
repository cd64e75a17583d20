/*
 * fpid_hot.c: functions for which there is no hook and that are called often: each call is a stop,
 * and whoever wanted the cheap probes should know which one is not.
 */
#include "providers/fpid/fpid_explain.h"

#define SHARE_PERCENT 5
#define LOOK_AFTER_NS 300000000ULL
/* What a stop costs the thread before we are told and after we let it go (docs/spec/pid-engine.md
 * §4). */
#define STOP_NS 4000
/* Fewer are no function that is called often: what a stop took was our waiting for a CPU, or what
 * its clauses did. */
#define FEW_STOPS 100

void fpid_hot_hit(struct pid_site *site, uint64_t since_ns, pid_t tid)
{
	struct session *s = site->probe->probe->session;

	fpid_explain_stopped(site, since_ns, tid);
	site->fpid->stopped_ns += session_now(s) - since_ns + STOP_NS;
	site->fpid->nstops++;
}

static void name_it(struct pid_site *site, uint64_t percent)
{
	const struct probe *p = site->probe->probe;

	site->fpid->is_named = true;
	session_message(p->session, MSG_ERR, false,
			"fpid: %s of %s`%s is a breakpoint, which takes about %lu%% of the time of "
			"process %d "
			"(-x fpidfallback=none leaves it out)",
			p->name, p->mod, p->func, percent, site->proc->pid);
}

/* Those that take much, and of many that take much together the worst. */
void fpid_hot_look(struct pid_proc *pp)
{
	uint64_t ns = session_now(pp->pw->session) - pp->fpid->settled_ns, all_ns = 0;
	struct pid_site *worst = NULL;
	bool any_named = false;

	if (!pp->fpid->settled_ns || ns < LOOK_AFTER_NS || pid_is_oneshot(pp->pw->session))
		return;
	for (struct pid_site *site = fpid_first(pp); site; site = fpid_next(site)) {
		uint64_t percent = site->fpid->stopped_ns * 100 / ns;

		if (site->fpid->nstops < FEW_STOPS)
			continue;
		if (percent >= SHARE_PERCENT && !site->fpid->is_named)
			name_it(site, MIN(percent, 100));
		any_named |= site->fpid->is_named;
		all_ns += site->fpid->stopped_ns;
		if (!worst || site->fpid->stopped_ns > worst->fpid->stopped_ns)
			worst = site;
	}
	if (worst && !any_named && all_ns * 100 / ns >= SHARE_PERCENT)
		name_it(worst, worst->fpid->stopped_ns * 100 / ns);
}
