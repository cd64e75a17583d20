#include "providers/system/profsample.h"

#include <errno.h>

#include "dlang/offload/places.h"
#include "providers/kernel/features.h"
#include "providers/kernel/kprog/exits.h"

struct sampling {
	struct probe *probe;
	struct perf *perf;
	profsample_fn *fn; /* NULL: the probe fires, but for our own processes */
	void *arg;
};

static bool is_ours(const struct perf *perf, const struct session *s, pid_t pid)
{
	return perf_is_own(perf, pid) || pid == s->front_pid;
}

bool profsample_is_ours(const struct probe *p, pid_t pid)
{
	return is_ours(world_of(p->session)->perf, p->session, pid);
}

/* One of the two is where the CPU was; the other one 0 (docs/spec/providers.md §4.10). */
static void on_sample(void *arg, const struct perf_sample *sm)
{
	const struct sampling *sp = arg;
	struct event ev;

	/* of the machine our own work is no part */
	if (!sp->fn && is_ours(sp->perf, sp->probe->session, (pid_t)sm->pid))
		return;
	perf_event_init(sp->perf, &ev, sm);
	ev.probe = sp->probe;
	ev.args[sm->cpumode == PERF_RECORD_MISC_USER] = sm->ip;
	if (sp->probe->needs & NEED_USYM)
		perf_learn_address(sp->perf, ev.pid, ev.regs ? ev.regs->r.rip : ev.args[1]);
	exits_lend(&ev);
	if (sp->fn)
		sp->fn(sp->arg, &ev);
	else
		event_fire(sp->probe->session, &ev);
}

static int add(const struct sampling *how, struct perf_want *want, struct err *err)
{
	struct world *w = world_of(how->probe->session);
	struct sampling *sp;
	struct perf *perf;
	int rc;

	if (!feature_works(world_features(w), FEATURE_PERF_SELF))
		return err_set(err, -EACCES, "%s",
			       feature_why(world_features(w), FEATURE_PERF_SELF));
	rc = world_perf(w, &perf, err);
	if (rc == 0)
		rc = perf_may(perf, how->probe, want->scope, err);
	if (rc < 0)
		return rc;
	perf_note_needs(perf, how->probe->needs);
	exits_watch(how->probe);
	probe_place(how->probe, &(struct placement){RUNS_RECORDS, WHY(SAMPLES), NULL, false});
	sp = ARENA_NEW(how->probe->session->arena, struct sampling);
	*sp = *how;
	sp->perf = perf;
	want->type = PERF_TYPE_SOFTWARE;
	want->config = PERF_COUNT_SW_CPU_CLOCK;
	want->flags = perf_flags(sp->probe->needs) |
		      (sp->probe->needs & (NEED_ARGS | NEED_KSTACK) ? PERF_KPC : 0);
	want->fn = on_sample;
	want->arg = sp;
	return perf_add(perf, want, err);
}

int profsample_add(struct probe *p, uint64_t interval_ns, enum perf_scope scope, struct err *err)
{
	struct perf_want want = {.period = interval_ns, .scope = scope};

	return add(&(struct sampling){.probe = p}, &want, err);
}

int profsample_add_cpu(struct probe *p, uint64_t interval_ns, int cpu, profsample_fn *fn, void *arg,
		       struct err *err)
{
	struct perf_want want = {.period = interval_ns, .scope = PERF_SYSTEM, .only_cpu = cpu + 1};

	return add(&(struct sampling){.probe = p, .fn = fn, .arg = arg}, &want, err);
}
