/*
 * pmcgroup.c: SYSTEM::pmc:EVENT-COUNTER: counters that are read when a tracepoint is passed, in a
 * group of perf: the event is the first, and its record has the values of the rest, of its CPU.
 */
#include <errno.h>

#include "base/glob.h"
#include "dlang/errtags.h"
#include "providers/machine/pmc.h"
#include "providers/world/proctab.h"

#define LINUX	    "linux-"
#define COMMON_SIZE 8 /* of a record: the fields that all tracepoints have */

/* Events that have a name of their own besides linux-SYSTEM's. */
static const struct {
	const char *prov, *name, *system, *event;
} rows[] = {
	{"sched", "off-cpu", "sched", "sched_switch"},
	{"sched", "wakeup", "sched", "sched_wakeup"},
	{"proc", "create", "sched", "sched_process_fork"},
	{"proc", "exec-success", "sched", "sched_process_exec"},
	{"proc", "lwp-exit", "sched", "sched_process_exit"},
	{"io", "start", "block", "block_rq_issue"},
	{"io", "done", "block", "block_rq_complete"},
	{"syscall", "entry", "raw_syscalls", "sys_enter"},
	{"syscall", "return", "raw_syscalls", "sys_exit"},
};

bool pmc_group_on_demand(const char *prov)
{
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
		if (glob_field(prov, rows[i].prov))
			return true;
	return strncmp(prov, LINUX, sizeof(LINUX) - 1) == 0;
}

/* ---- names to probes ---- */

struct search {
	struct session *session;
	const struct probe_desc *desc;
	const char *prov, *name, *system, *event; /* of the event that is looked at */
	bool is_exact;				  /* the name is no pattern */
	int *tag;
	struct err *err;
	int rc;
};

static void create(const struct search *sr, const char *name, const struct pmc_source *src)
{
	struct session *s = sr->session;
	struct pmc_probe *pp = pmc_create(s, PMC_GROUP, sr->prov, "pmc", name);

	if (!pp)
		return;
	pp->system = intern_str(&s->engine->intern, sr->system);
	pp->event = intern_str(&s->engine->intern, sr->event);
	pp->has_all = !src;
	if (src)
		pp->source = *src;
}

static void offer_counter(void *arg, const struct pmc_source *src)
{
	const struct search *sr = arg;
	struct pmc_source found;
	struct err why = {0};
	char name[192];

	snprintf(name, sizeof(name), "%s-%s", sr->name, src->name);
	if (glob_field(sr->desc->name, name) && pmc_source_find(src->name, &found) &&
	    pmc_source_try(&found, &why) == 0)
		create(sr, name, &found);
}

/* What the description means of one event. */
static void offer(struct search *sr)
{
	const char *text = sr->desc->name;
	size_t n = strlen(sr->name);
	struct pmc_source src;

	if (!sr->is_exact || !*text) {
		if (glob_field(text, sr->name))
			create(sr, sr->name, NULL);
		pmc_source_each(offer_counter, sr);
	} else if (strncmp(text, sr->name, n) == 0 && (!text[n] || text[n] == '-')) {
		if (!text[n])
			create(sr, text, NULL);
		else if (pmc_source_find(text + n + 1, &src)) {
			sr->rc = pmc_check(sr->session, &src, sr->tag, sr->err);
			if (sr->rc == 0)
				create(sr, text, &src);
		}
	}
}

static void offer_tracepoint(void *arg, const char *system, const char *event)
{
	struct search *sr = arg;
	char prov[128];

	snprintf(prov, sizeof(prov), LINUX "%s", system);
	if (sr->rc || !glob_match(sr->desc->prov, prov))
		return;
	sr->prov = prov;
	sr->name = sr->event = event;
	sr->system = system;
	offer(sr);
}

int pmc_group_provide(struct session *s, const struct probe_desc *d, int *tag, struct err *err)
{
	struct search sr = {.session = s, .desc = d, .tag = tag, .err = err};

	if (strcmp(d->func, "pmc") != 0 || !glob_field(d->mod, ""))
		return 0;
	sr.is_exact = *d->name && !glob_is_pattern(d->name);
	for (unsigned i = 0; i < ARRAY_SIZE(rows) && !sr.rc; i++) {
		sr.prov = rows[i].prov;
		sr.name = rows[i].name;
		sr.system = rows[i].system;
		sr.event = rows[i].event;
		if (glob_field(d->prov, sr.prov))
			offer(&sr);
	}
	if (strncmp(d->prov, LINUX, sizeof(LINUX) - 1) == 0 && !sr.rc)
		tracefs_each(world_tracefs(world_of(s)), offer_tracepoint, &sr);
	return MIN(sr.rc, 0);
}

/* ---- records ---- */

static bool is_meant(const struct pmc_probe *pp, const struct perf_sample *sm)
{
	const struct world *w = world_of(pp->probe->session);

	if (perf_is_own(pp->perf, sm->pid))
		return false;
	return !w->nprocs || proctab_is_followed(perf_procs(pp->perf), sm->pid);
}

static void on_record(void *arg, const struct perf_sample *sm)
{
	struct pmc_probe *pp = arg;
	struct event ev;
	uint32_t len;

	if (!is_meant(pp, sm))
		return;
	pp->enabled_ns = sm->enabled_ns;
	pp->running_ns = sm->running_ns;
	for (unsigned i = 0; i < pp->copy.counts.count; i++)
		pp->copy.counts.counters[i] =
			i + 1 < sm->ncounts ? pmc_scale(sm->counts[(size_t)(i + 1) * sm->stride],
							sm->enabled_ns, sm->running_ns)
					    : 0;
	perf_event_init(pp->perf, &ev, sm);
	ev.probe = pp->probe;
	len = sm->rawlen > COMMON_SIZE ? MIN(sm->rawlen - COMMON_SIZE, PMC_PAYLOAD_MAX) : 0;
	memcpy(pp->copy.payload, (const char *)sm->raw + COMMON_SIZE, len);
	ev.raw = &pp->copy;
	ev.rawlen = (uint32_t)(offsetof(typeof(pp->copy), payload) + len);
	ev.args[0] = pp->format->id;
	ev.args[2] = (uintptr_t)pp->copy.payload;
	ev.args[3] = len;
	ev.args[4] = pp->has_all ? (uintptr_t)&pp->copy.counts : pp->copy.counts.counters[0];
	event_fire(pp->probe->session, &ev);
}

/* ---- enabling ---- */

static void add_counter(struct pmc_probe *pp, const struct pmc_source *src)
{
	unsigned n = pp->copy.counts.count;

	if (n >= PERF_GROUP_MAX)
		return;
	pp->siblings[n] = (struct perf_sibling){src->type, src->config};
	snprintf(pp->copy.counts.names[n], sizeof(pp->copy.counts.names[n]), "%s", src->name);
	pp->copy.counts.count++;
}

static void add_software(void *arg, const struct pmc_source *src)
{
	struct err why = {0};

	if ((src->kind == PMC_CLOCK || src->kind == PMC_SOFTWARE) &&
	    strcmp(src->name, "dummy") != 0 && strcmp(src->name, "bpf-output") != 0 &&
	    pmc_source_try(src, &why) == 0)
		add_counter(arg, src);
}

int pmc_group_enable(struct pmc_probe *pp, struct err *err)
{
	struct probe *p = pp->probe;
	struct world *w = world_of(p->session);
	struct perf_want want = {
		.type = PERF_TYPE_TRACEPOINT,
		.scope = PERF_SYSTEM,
		.flags = PERF_RAW | perf_flags(p->needs),
		.fn = on_record,
		.arg = pp,
	};
	int rc = perf_may(pp->perf, p, PERF_SYSTEM, err);

	if (rc < 0)
		return rc;
	pp->format = tracefs_format(world_tracefs(w), pp->system, pp->event);
	if (!pp->format)
		return err_set(err, -ENOENT,
			       "probe description %s::pmc:%s: there is no tracepoint %s:%s here",
			       p->prov, p->name, pp->system, pp->event);
	if (pp->has_all)
		pmc_source_each(add_software, pp);
	else
		add_counter(pp, &pp->source);
	want.config = pp->format->id;
	want.nsiblings = pp->copy.counts.count;
	memcpy(want.siblings, pp->siblings, sizeof(want.siblings));
	return perf_add(pp->perf, &want, err);
}

void pmc_group_argtypes(struct pmc_probe *pp, struct probe_args *args)
{
	struct session *s = pp->probe->session;
	struct types *ts = &s->engine->types;
	const struct type *counts = types_lookup(ts, "pmc_counts_t");
	struct probe_arg *v = arena_alloc(s->arena, 5 * sizeof(*v));

	for (unsigned i = 0; i < 5; i++)
		v[i] = (struct probe_arg){.type = ts->t_uword, .place = ARG_VALUE, .at = i};
	if (pp->has_all && counts) {
		v[4].type = type_pointer(ts, counts);
		v[4].is_ours = true;
	}
	args->v = v;
	args->n = 5;
}
