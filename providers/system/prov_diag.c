/*
 * prov_diag.c: what tracing itself could not see (docs/spec/providers.md §4.17). lostevent: arg0
 * records found no room in the ring of CPU arg1. The rings of perf tell of it in their order of
 * time; what BPF programs have lost is looked at each second, and at the end.
 */
#include <stdlib.h>

#include "base/glob.h"
#include "providers/kernel/bpf.h"
#include "providers/kernel/perf.h"
#include "providers/providers.h"

#define LOOK_NS 1000000000U

struct lost {
	struct probe *probe;
	uint64_t *told; /* of BPF, by CPU; NULL: nothing has been looked at */
	int ncpus;
};

static bool diag_on_demand(const char *prov)
{
	return !prov[0] || glob_match(prov, "diag");
}

static int diag_provide(struct session *s, const struct probe_desc *d, int *tag UNUSED,
			struct err *err UNUSED)
{
	if (!d ||
	    (glob_field(d->mod, "") && glob_field(d->func, "") && glob_field(d->name, "lostevent")))
		probe_create(s, &prov_diag, "diag", "", "", "lostevent", NULL);
	return 0;
}

static void fire(const struct lost *l, int cpu, uint64_t n, uint64_t time_ns)
{
	struct session *s = l->probe->session;
	const struct event ev = {
		.probe = l->probe,
		.pid = s->front_pid,
		.tid = s->front_pid,
		.cpu = cpu,
		.time_ns = time_ns,
		.args = {n, (uint64_t)cpu},
	};

	event_fire(s, &ev);
}

static void on_lost(void *arg, unsigned cpu, uint64_t n, uint64_t time_ns)
{
	fire(arg, (int)cpu, n, time_ns);
}

static void look_at_bpf(struct lost *l)
{
	struct session *s = l->probe->session;
	uint64_t *now;

	if (!world_of(s)->bpf)
		return;
	now = bpf_lost_records(world_of(s)->bpf, &l->ncpus);
	if (!l->told)
		l->told = xcalloc((size_t)MAX(l->ncpus, 1), sizeof(*l->told));
	for (int i = 0; i < l->ncpus; i++) {
		if (now[i] != l->told[i])
			fire(l, i, now[i] - l->told[i], session_now(s));
		l->told[i] = now[i];
	}
	free(now);
}

static uint64_t look(struct session *s UNUSED, void *arg, uint64_t deadline_ns)
{
	look_at_bpf(arg);
	return deadline_ns + LOOK_NS;
}

static int diag_enable(struct probe *p, struct err *err)
{
	struct perf *perf;
	int rc = world_perf(world_of(p->session), &perf, err);
	struct lost *l;

	if (rc < 0)
		return rc;
	p->arg = l = xcalloc(1, sizeof(*l));
	l->probe = p;
	perf_on_lost(perf, on_lost, l);
	return 0;
}

static struct probe *find(struct session *s)
{
	for (uint32_t id = 1; id <= s->nprobes; id++) {
		struct probe *p = probe_by_id(s, id);

		if (p->provider == &prov_diag && p->enabled)
			return p;
	}
	return NULL;
}

static int diag_start(struct session *s, struct err *err UNUSED)
{
	const struct probe *p = find(s);

	if (p)
		session_add_timer(s, session_now(s) + LOOK_NS, look, p->arg);
	return 0;
}

static void diag_stop(struct session *s)
{
	const struct probe *p = find(s);

	if (p && p->arg)
		look_at_bpf(p->arg);
}

const struct provider prov_diag = {
	.name = "diag",
	.on_demand = diag_on_demand,
	.provide = diag_provide,
	.enable = diag_enable,
	.start = diag_start,
	.stop = diag_stop,
	.attrs = &evolving_attrs,
};
