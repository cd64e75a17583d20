/*
 * prov_pmc.c: pmc and cpc: samples of what perf counts, clocks and events of the kernel and of the
 * processor, and what there is of them (docs/spec/providers.md §4.14).
 */
#include "providers/machine/pmccount.h"

#include <errno.h>

#include "base/glob.h"
#include "dlang/errtags.h"
#include "dlang/offload/claim.h"
#include "dlang/offload/places.h"
#include "providers/kernel/features.h"

struct pmc_probe *pmc_create(struct session *s, enum pmc_probe_kind kind, const char *prov,
			     const char *func, const char *name)
{
	struct probe *p = probe_create(s, &prov_pmc, prov, "", func, name, NULL);
	struct pmc_probe *pp;

	if (p->arg)
		return NULL;
	p->arg = pp = ARENA_NEW(s->arena, struct pmc_probe);
	pp->kind = kind;
	pp->probe = p;
	return pp;
}

int pmc_check(struct session *s, const struct pmc_source *src, int *tag, struct err *err)
{
	struct err why = {0};
	int rc = world_of(s)->recording ? 0 : pmc_source_try(src, &why);

	if (rc == 0) /* what a recording does not have is told when it is enabled */
		return 0;
	if (opt_on(&s->options, OPT_ZDEFS))
		return 1;
	*tag = D_PDESC_ZERO;
	return pmc_source_refuse(src, rc, err);
}

/* ---- names to probes ---- */

static bool pmc_on_demand(const char *prov)
{
	return !prov[0] || glob_match(prov, "pmc") || glob_match(prov, "cpc") ||
	       pmc_group_on_demand(prov);
}

struct search {
	struct session *session;
	const struct probe_desc *desc;
};

static struct pmc_probe *create_samples(struct session *s, const char *prov, const char *name,
					const struct pmc_source *src, uint64_t interval)
{
	struct pmc_probe *pp = pmc_create(s, PMC_SAMPLES, prov, "", name);

	if (pp) {
		pp->source = *src;
		pp->interval = interval ? interval : pmc_source_interval(src);
		pp->is_cpc = strcmp(prov, "cpc") == 0;
	}
	return pp;
}

static bool is_there(const struct session *s, const struct pmc_source *src)
{
	struct err why = {0};

	return world_of(s)->recording ? perf_recorded(world_of(s), src->type, src->config)
				      : pmc_source_try(src, &why) == 0;
}

/* What there is, for lists and patterns. Only what the description may mean is tried: closing a
 * counter waits for all CPUs. */
static void offer(void *arg, const struct pmc_source *src)
{
	const struct search *sr = arg;
	const struct probe_desc *d = sr->desc;
	char name[2 * PMC_NAME_MAX];
	bool is_pmc, is_cpc;

	snprintf(name, sizeof(name), "%s-all-%lu", src->name, pmc_source_interval(src));
	is_pmc = glob_field(d->prov, "pmc") && glob_field(d->name, src->name);
	is_cpc = glob_field(d->prov, "cpc") && glob_field(d->name, name);
	if (src->kind == PMC_COUNT_ONLY || !(is_pmc || is_cpc) || !is_there(sr->session, src))
		return;
	if (is_pmc)
		create_samples(sr->session, "pmc", src->name, src, 0);
	if (is_cpc)
		create_samples(sr->session, "cpc", name, src, 0);
}

/* A recording has its own interval, whatever is asked for. */
static int check_interval(const struct session *s, const struct pmc_source *src, uint64_t interval,
			  int *tag, struct err *err)
{
	if (src->kind == PMC_COUNT_ONLY) {
		*tag = D_PDESC_ZERO;
		return err_set(err, -EINVAL,
			       "%s counts and gives no samples: PROVIDER::pmc:EVENT-%s reads it",
			       src->name, src->name);
	}
	if (!interval || interval >= pmc_source_least(src) || world_of(s)->recording)
		return 0;
	*tag = D_PDESC_ZERO;
	return err_set(err, -EINVAL, "the interval of %s is %lu at least", src->name,
		       pmc_source_least(src));
}

/* Not where descriptions may mean nothing (-Z). */
static int tell_form(const struct session *s, bool is_cpc, int *tag, struct err *err)
{
	if (opt_on(&s->options, OPT_ZDEFS))
		return 0;
	*tag = D_PDESC_ZERO;
	return err_set(err, -ENOENT,
		       is_cpc ? "it is no EVENT-MODE-INTERVAL, of an event of cpc:::, mode all, "
				"user or kernel, and an interval of 1 or more (dtrace -ln cpc:::)"
			      : "it is no EVENT or EVENT-INTERVAL, of an event of pmc::: and an "
				"interval of 1 or more (dtrace -ln pmc:::)");
}

static int provide_exact(struct session *s, const struct probe_desc *d, int *tag, struct err *err)
{
	bool is_cpc = strcmp(d->prov, "cpc") == 0;
	enum pmc_mode mode = PMC_ALL;
	struct pmc_source src;
	struct pmc_probe *pp;
	uint64_t interval;
	int rc;

	rc = is_cpc ? pmc_parse_cpc(d->name, &src, &mode, &interval, err)
		    : pmc_parse_interval(d->name, &src, &interval);
	if (rc < 0)
		*tag = D_PDESC_ZERO;
	if (rc == 0)
		return tell_form(s, is_cpc, tag, err);
	if (rc < 0)
		return rc;
	rc = check_interval(s, &src, interval, tag, err);
	if (rc == 0)
		rc = pmc_check(s, &src, tag, err);
	if (rc)
		return MIN(rc, 0);
	pp = create_samples(s, d->prov, d->name, &src, interval);
	if (pp)
		pp->mode = mode;
	return 0;
}

static int pmc_provide(struct session *s, const struct probe_desc *d, int *tag, struct err *err)
{
	struct search sr = {s, d};

	if (!d)
		return 0;
	if (*d->func)
		return pmc_group_provide(s, d, tag, err);
	if (!glob_field(d->mod, ""))
		return 0;
	if (glob_field(d->prov, "pmc") && glob_field(d->name, "sample-src"))
		pmc_create(s, PMC_SAMPLE_SRC, "pmc", "", "sample-src");
	if (glob_field(d->prov, "pmc") && glob_field(d->name, "counter-src"))
		pmc_create(s, PMC_COUNTER_SRC, "pmc", "", "counter-src");
	if (*d->name && !glob_is_pattern(d->name) && strcmp(d->name, "sample-src") != 0 &&
	    strcmp(d->name, "counter-src") != 0 &&
	    (strcmp(d->prov, "pmc") == 0 || strcmp(d->prov, "cpc") == 0))
		return provide_exact(s, d, tag, err);
	if (glob_field(d->prov, "pmc") || glob_field(d->prov, "cpc"))
		pmc_source_each(offer, &sr);
	return 0;
}

static void suggest_source(void *arg, const struct pmc_source *src)
{
	const struct {
		void (*fn)(void *arg, const char *name);
		void *arg;
	} *to = arg;

	to->fn(to->arg, src->name);
}

static void pmc_suggest(struct session *s UNUSED, const struct probe_desc *d, enum desc_field field,
			void (*fn)(void *, const char *), void *arg)
{
	const struct {
		void (*fn)(void *arg, const char *name);
		void *arg;
	} to = {fn, arg};

	if (field == DESC_PROV) {
		fn(arg, "pmc");
		fn(arg, "cpc");
	} else if (field == DESC_NAME && strcmp(d->prov, "pmc") == 0) {
		pmc_source_each(suggest_source, (void *)(uintptr_t)&to);
	}
}

/* ---- samples ---- */

/* What the kernel would have done with an event that is ours alone. */
static bool is_chosen(struct pmc_probe *pp, const struct perf_sample *sm)
{
	bool is_user = sm->cpumode == PERF_RECORD_MISC_USER;

	if (!pp->is_shared && !world_of(pp->probe->session)->recording)
		return true;
	if ((pp->mode == PMC_USER && !is_user) || (pp->mode == PMC_KERNEL && is_user))
		return false;
	return !pp->is_shared || ++pp->seen % pp->interval == 0;
}

static void on_sample(void *arg, const struct perf_sample *sm)
{
	struct pmc_probe *pp = arg;
	struct session *s = pp->probe->session;
	struct event ev;

	if (perf_is_own(pp->perf, sm->pid) || !is_chosen(pp, sm) ||
	    (sm->pid == s->front_pid && !world_of(s)->recording))
		return;
	perf_event_init(pp->perf, &ev, sm);
	ev.probe = pp->probe;
	if (pp->is_cpc)
		ev.args[sm->cpumode == PERF_RECORD_MISC_USER] = sm->ip;
	else
		ev.args[0] = sm->ip;
	if (pp->probe->needs & NEED_USYM && sm->cpumode == PERF_RECORD_MISC_USER)
		perf_learn_address(pp->perf, ev.pid, sm->ip);
	event_fire(s, &ev);
}

/* Without privileges the kernel tells of what happens in user space, and there these never do. */
static int refuse_kernel(const struct pmc_probe *pp, struct err *err)
{
	const struct probe *p = pp->probe;

	return err_set(err, -EACCES,
		       "probe description %s:::%s: %s happen in the kernel: needs CAP_PERFMON (or "
		       "root, or kernel.perf_event_paranoid <= -1)",
		       p->prov, p->name, pp->source.name);
}

static bool has_others(const struct pmc_probe *pp)
{
	struct session *s = pp->probe->session;

	for (uint32_t id = 1; id <= s->nprobes && pmc_source_is_shared(&pp->source); id++) {
		const struct probe *p = probe_by_id(s, id);
		const struct pmc_probe *other = p->arg;

		if (p->provider == &prov_pmc && p->ecbs && other != pp &&
		    other->kind == PMC_SAMPLES && other->source.type == pp->source.type &&
		    other->source.config == pp->source.config)
			return true;
	}
	return false;
}

/*
 * Each one is an event, of the programs of -c alone: perf counts for those and what they make. What
 * is attached to is sampled by CPUs, as tracing's own share would be counted there.
 */
static bool is_counted(const struct pmc_probe *pp)
{
	const struct world *w = world_of(pp->probe->session);
	bool is_ours = w->nprocs > 0;

	for (unsigned i = 0; i < w->nprocs; i++)
		is_ours &= w->procs[i].origin == PROC_COMMAND;
	return is_ours && !w->log && pp->source.kind == PMC_SOFTWARE && pp->interval == 1 &&
	       probe_is_countable(pp->probe, CLAIM_ALL_PROCESSES);
}

static int enable_samples(struct pmc_probe *pp, struct err *err)
{
	static const unsigned modes[] = {0, PERF_USER_ONLY, PERF_KERNEL_ONLY};
	const struct probe *p = pp->probe;
	struct perf_want want = {
		.type = pp->source.type,
		.config = pp->source.config,
		.period = pp->interval,
		.scope = PERF_TARGETS,
		.flags = perf_flags(p->needs) |
			 (p->needs & (NEED_ARGS | NEED_KSTACK) ? PERF_KPC : 0),
		.fn = on_sample,
		.arg = pp,
	};
	int rc = perf_may(pp->perf, p, PERF_TARGETS, err);
	bool counts;

	if (rc < 0)
		return rc;
	if (!perf_sees_all(pp->perf) && (pp->source.is_of_kernel || pp->mode == PMC_KERNEL))
		return refuse_kernel(pp, err);
	if (world_of(p->session)->recording)
		return perf_recorded(world_of(p->session), want.type, want.config)
			       ? perf_add(pp->perf, &want, err)
			       : perf_lacks_all(world_of(p->session), pp->source.name, err);
	if (is_counted(pp)) {
		probe_place_counted(p, true, true, NULL);
		want.flags = modes[pp->mode];
		return perf_count(pp->perf, &want, &pp->counter, err);
	}
	counts = pmc_counts_by_keys(pp);
	probe_place_counted(p, counts, counts,
			    pp->source.kind == PMC_SOFTWARE ? WHY(AT_HAND) : WHY(SAMPLES));
	if (counts)
		return 0;
	pp->is_shared = has_others(pp);
	if (pp->is_shared)
		want.period = 1;
	else
		want.flags |= modes[pp->mode];
	return perf_add(pp->perf, &want, err);
}

static int pmc_enable(struct probe *p, struct err *err)
{
	struct pmc_probe *pp = p->arg;
	int rc;

	if (pp->kind == PMC_SAMPLE_SRC || pp->kind == PMC_COUNTER_SRC)
		return 0; /* at the start */
	rc = world_perf(world_of(p->session), &pp->perf, err);
	if (rc < 0)
		return err_wrap(err, "probe description %s::%s:%s", p->prov, p->func, p->name);
	if (pp->kind != PMC_GROUP)
		return enable_samples(pp, err);
	return pmc_group_enable(pp, err);
}

/* ---- which there are ---- */

static void each_of(struct session *s, enum pmc_probe_kind kind,
		    void (*fn)(struct session *, struct pmc_probe *, void *), void *arg)
{
	for (uint32_t id = 1; id <= s->nprobes; id++) {
		struct probe *p = probe_by_id(s, id);
		struct pmc_probe *pp = p->arg;

		if (p->provider == &prov_pmc && p->enabled && pp->kind == kind)
			fn(s, pp, arg);
	}
}

static void fire_own(struct session *s, struct probe *p, void *raw, size_t size, uint64_t arg0,
		     uint64_t arg2)
{
	const struct event ev = {.probe = p,
				 .pid = s->front_pid,
				 .tid = s->front_pid,
				 .time_ns = session_now(s),
				 .cpu = session_cpu(s),
				 .raw = raw,
				 .rawlen = (uint32_t)size,
				 .args = {arg0, (uintptr_t)raw, arg2}};

	event_fire(s, &ev);
}

static void tell_source(struct session *s, struct pmc_probe *pp, void *arg)
{
	fire_own(s, arg, pp->source.name, sizeof(pp->source.name),
		 (uint64_t)pp->source.type << 32 | pp->source.config, pp->interval);
}

static void tell_sources(struct session *s, struct pmc_probe *pp, void *arg UNUSED)
{
	each_of(s, PMC_SAMPLES, tell_source, pp->probe);
}

static void add_names(struct session *s UNUSED, struct pmc_probe *pp, void *arg)
{
	struct pmc_counts *all = arg;

	for (unsigned i = 0; i < pp->copy.counts.count; i++) {
		unsigned n = 0;

		while (n < all->count && strcmp(all->names[n], pp->copy.counts.names[i]) != 0)
			n++;
		if (n < all->count || n >= PERF_GROUP_MAX)
			continue;
		memcpy(all->names[n], pp->copy.counts.names[i], PMC_NAME_MAX);
		all->count++;
	}
}

static void tell_counters(struct session *s, struct pmc_probe *pp, void *arg UNUSED)
{
	each_of(s, PMC_GROUP, add_names, &pp->copy.counts);
	fire_own(s, pp->probe, pp->copy.counts.names, sizeof(pp->copy.counts.names),
		 pp->copy.counts.count, 0);
}

static uint64_t tell_all(struct session *s, void *arg UNUSED, uint64_t deadline_ns UNUSED)
{
	each_of(s, PMC_SAMPLE_SRC, tell_sources, NULL);
	each_of(s, PMC_COUNTER_SRC, tell_counters, NULL);
	return UINT64_MAX;
}

static void note(struct session *s UNUSED, struct pmc_probe *pp UNUSED, void *arg)
{
	*(bool *)arg = true;
}

static int pmc_start(struct session *s, struct err *err UNUSED)
{
	bool is_asked = false;

	each_of(s, PMC_SAMPLE_SRC, note, &is_asked);
	each_of(s, PMC_COUNTER_SRC, note, &is_asked);
	if (is_asked)
		session_add_timer(s, session_now(s), tell_all, NULL);
	return 0;
}

/* ---- more events than counters ---- */

static void say_share(struct session *s, struct pmc_probe *pp, void *arg UNUSED)
{
	uint64_t enabled = pp->enabled_ns, running = pp->running_ns;

	if (pp->kind == PMC_SAMPLES && pp->perf && pp->source.kind == PMC_HARDWARE)
		perf_times(pp->perf, on_sample, pp, &enabled, &running);
	if (enabled && running < enabled)
		session_message(s, MSG_ERR, false,
				"%s::%s:%s: other events had its counter for %u %% of the time: %s",
				pp->probe->prov, pp->probe->func, pp->probe->name,
				(unsigned)((enabled - running) * 100 / enabled),
				pp->kind == PMC_GROUP ? "the numbers are scaled"
						      : "there are that many samples less");
}

static void hand_over(struct session *s, struct pmc_probe *pp, void *arg UNUSED)
{
	const struct event ev = {.probe = pp->probe, .time_ns = session_now(s)};
	uint64_t n = pp->counter ? perf_counted(pp->counter) : 0;

	if (n > pp->counted) {
		event_count(s, &ev, n - pp->counted);
		pp->counted = n;
	}
}

static void pmc_snapshot(struct session *s)
{
	each_of(s, PMC_SAMPLES, hand_over, NULL);
}

static void pmc_stop(struct session *s)
{
	pmc_snapshot(s);
	each_of(s, PMC_SAMPLES, say_share, NULL);
	each_of(s, PMC_GROUP, say_share, NULL);
}

static void pmc_argtypes(struct probe *p, struct probe_args *args)
{
	struct pmc_probe *pp = p->arg;
	struct types *ts = &p->session->engine->types;
	struct probe_arg *v;

	if (pp->kind == PMC_GROUP) {
		pmc_group_argtypes(pp, args);
		return;
	}
	v = arena_alloc(p->session->arena, 3 * sizeof(*v));
	for (unsigned i = 0; i < 3; i++)
		v[i] = (struct probe_arg){
			.type = ts->t_uword, .place = ARG_VALUE, .at = i, .is_ours = true};
	args->v = v;
	args->n = pp->kind == PMC_SAMPLE_SRC		      ? 3
		  : pp->kind == PMC_COUNTER_SRC || pp->is_cpc ? 2
							      : 1;
}

const struct provider prov_pmc = {
	.name = "pmc",
	.is_of_kernel = true,
	.on_demand = pmc_on_demand,
	.provide = pmc_provide,
	.list = pmc_group_list,
	.suggest = pmc_suggest,
	.enable = pmc_enable,
	.argtypes = pmc_argtypes,
	.start = pmc_start,
	.stop = pmc_stop,
	.snapshot = pmc_snapshot,
	.free = pmc_count_free,
	.attrs = &evolving_attrs,
	.loss = LOSS_KERNEL,
	.reads_files = true,
};
