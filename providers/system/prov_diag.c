/*
 * prov_diag.c: what tracing itself could not see (docs/spec/providers.md §4.17). lostevent: arg0
 * records found no room on CPU arg1. It tells what the messages of drops tell, from the same
 * counters, so that its sum is theirs. The rings of perf tell of losses in their order of time;
 * everything else is looked at each second, and when all has been read.
 */
#include <stdlib.h>

#include "base/glob.h"
#include "providers/kernel/perf.h"
#include "providers/providers.h"
#include "providers/system/diagwatch.h"

#define LOOK_NS	  1000000000U
#define LOSTEVENT "lostevent"

struct lost {
	struct probe *probe;
	uint64_t told[SESSION_MAX_CPUS];
};

static bool diag_on_demand(const char *prov)
{
	return !prov[0] || glob_match(prov, "diag");
}

static int diag_provide(struct session *s, const struct probe_desc *d, int *tag UNUSED,
			struct err *err UNUSED)
{
	if (d && (!glob_field(d->mod, "") || !glob_field(d->func, "")))
		return 0;
	if (!d || glob_field(d->name, LOSTEVENT))
		probe_create(s, &prov_diag, "diag", "", "", LOSTEVENT, NULL);
	for (unsigned i = 0; i < DIAG_NKINDS; i++)
		if (!d || glob_field(d->name, diagwatch_name(i)))
			probe_create(s, &prov_diag, "diag", "", "", diagwatch_name(i), NULL);
	return 0;
}

/* What is new on that CPU. */
static void tell(struct lost *l, unsigned cpu, uint64_t time_ns)
{
	struct session *s = l->probe->session;
	uint64_t now = s->buffer_drops[cpu], n = now - l->told[cpu];
	const struct event ev = {
		.probe = l->probe,
		.pid = s->front_pid,
		.tid = s->front_pid,
		.cpu = (int)cpu,
		.time_ns = time_ns,
		.is_of_run = true,
		.args = {n, cpu},
	};

	l->told[cpu] = now; /* first: a record of this clause may be the next drop */
	if (n)
		event_fire(s, &ev);
}

static void on_lost(void *arg, unsigned cpu, uint64_t n UNUSED, uint64_t time_ns)
{
	tell(arg, cpu % SESSION_MAX_CPUS, time_ns);
}

static void tell_all(struct lost *l)
{
	for (unsigned i = 0; i < SESSION_MAX_CPUS; i++)
		tell(l, i, session_now(l->probe->session));
}

static uint64_t look(struct session *s UNUSED, void *arg, uint64_t deadline_ns)
{
	tell_all(arg);
	return deadline_ns + LOOK_NS;
}

static int diag_enable(struct probe *p, struct err *err)
{
	struct perf *perf;
	struct lost *l;
	int rc;

	if (strcmp(p->name, LOSTEVENT) != 0)
		return diagwatch_enable(p, err);
	rc = world_perf(world_of(p->session), &perf, err);
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

		if (p->provider == &prov_diag && p->enabled && strcmp(p->name, LOSTEVENT) == 0)
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
		tell_all(p->arg);
}

const struct provider prov_diag = {
	.name = "diag",
	.on_demand = diag_on_demand,
	.provide = diag_provide,
	.enable = diag_enable,
	.start = diag_start,
	.stop = diag_stop,
	.argtypes = diagwatch_argtypes,
	.free = diagwatch_free,
	.attrs = &evolving_attrs,
	.reads_files = true,
};
