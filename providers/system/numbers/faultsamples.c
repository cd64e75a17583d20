#include "providers/system/numbers/faultsamples.h"

/* Of one probe. */
struct samples {
	struct bpf_probes *probes;
	unsigned row;
	faultsamples_fn *fn;
	void *arg;
};

static void on_sample(void *arg, const struct perf_sample *sm)
{
	const struct samples *f = arg;
	struct perf *perf = world_of(f->probes->session)->perf;
	struct event ev;

	if (perf_is_own(perf, sm->pid))
		return;
	perf_event_init(perf, &ev, sm);
	f->fn(f->arg, sm, &ev);
	bpf_probes_fire(f->probes, f->row, &ev);
}

int faultsamples_add(struct probe *p, unsigned kinds, const char *members, faultsamples_fn *fn,
		     void *arg)
{
	static const uint64_t events[] = {PERF_COUNT_SW_PAGE_FAULTS_MAJ,
					  PERF_COUNT_SW_PAGE_FAULTS_MIN};
	struct samples *f = ARENA_NEW(p->session->arena, struct samples);
	struct err why = {0};
	struct perf *perf;
	int rc = world_perf(world_of(p->session), &perf, &why);

	*f = (struct samples){bpf_probes_of(p), bpf_probes_row(p), fn, arg};
	if (rc == 0)
		rc = perf_may(perf, p, PERF_TARGETS, &why);
	for (unsigned i = 0; rc == 0 && i < ARRAY_SIZE(events); i++) {
		const struct perf_want want = {
			.type = PERF_TYPE_SOFTWARE,
			.config = events[i],
			.period = 1,
			.scope = perf_sees_all(perf) ? PERF_SYSTEM : PERF_TARGETS,
			.flags = PERF_ADDR | PERF_KPC | perf_flags(p->needs),
			.fn = on_sample,
			.arg = f,
		};

		if (kinds & 1U << i)
			rc = perf_add(perf, &want, &why);
	}
	if (rc == 0)
		bpf_probes_do_without(p, members);
	return rc;
}

int faultsamples_lack(const struct probe *p, unsigned kinds, struct err *err)
{
	static const char *const names[] = {NULL, "major-faults -d", "minor-faults -d",
					    "major-faults,minor-faults -d"};

	return perf_lacks_all(world_of(p->session), names[kinds], err);
}
