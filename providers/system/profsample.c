#include "providers/system/profsample.h"

#include <errno.h>
#include <stdlib.h>

#include "providers/kernel/features.h"

struct sampling {
	struct probe *probe;
	struct perf *perf;
};

/* Of the machine our own work is no part. */
static bool is_ours(const struct perf *perf, const struct session *s, pid_t pid)
{
	return perf_is_own(perf, pid) || pid == s->front_pid;
}

/* One of the two is where the CPU was; the other one 0 (docs/spec/providers.md §4.10). */
static void on_sample(void *arg, const struct perf_sample *sm)
{
	const struct sampling *sp = arg;
	struct event ev;

	if (is_ours(sp->perf, sp->probe->session, (pid_t)sm->pid))
		return;
	perf_event_init(sp->perf, &ev, sm);
	ev.probe = sp->probe;
	ev.args[sm->cpumode == PERF_RECORD_MISC_USER] = sm->ip;
	if (sp->probe->needs & NEED_USYM)
		perf_learn_address(sp->perf, ev.pid, ev.regs ? ev.regs->r.rip : ev.args[1]);
	event_fire(sp->probe->session, &ev);
}

int profsample_add(struct probe *p, uint64_t interval_ns, enum perf_scope scope, struct err *err)
{
	struct world *w = world_of(p->session);
	struct sampling *sp;
	struct perf_want want = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.period = interval_ns,
		.scope = scope,
		.flags = perf_flags(p->needs) |
			 (p->needs & (NEED_ARGS | NEED_KSTACK) ? PERF_KPC : 0),
		.fn = on_sample,
	};
	struct perf *perf;
	int rc;

	if (!feature_works(world_features(w), FEATURE_PERF_SELF))
		return err_set(err, -EACCES, "%s",
			       feature_why(world_features(w), FEATURE_PERF_SELF));
	rc = world_perf(w, &perf, err);
	if (rc == 0)
		rc = perf_may(perf, p, scope, err);
	if (rc < 0)
		return rc;
	sp = xcalloc(1, sizeof(*sp));
	sp->probe = p;
	sp->perf = perf;
	want.arg = sp;
	return perf_add(perf, &want, err);
}
