/*
 * pmcgroup.c: SYSTEM::pmc:EVENT-COUNTER: counters that are read when a tracepoint is passed, in a
 * group of perf: the event is the first, and its record has the values of the rest, of its CPU.
 */
#include <errno.h>

#include "base/glob.h"
#include "dlang/errtags.h"
#include "providers/machine/pmc.h"
#include "providers/world/proctab.h"
#include "tracer/procfs/procfs.h"

#define LINUX	       "linux-"
#define THREAD_KEPT_NS 1000000000U
#define SOURCES_MAX    32
#define COMMON_SIZE    8 /* of a record: the fields that all tracepoints have */

/* Events that have a name of their own besides linux-SYSTEM's. */
static const struct {
	const char *prov, *name, *system, *event;
	const char *thread; /* the field that says whose event it is; NULL: who passes it */
} rows[] = {
	{"sched", "off-cpu", "sched", "sched_switch", NULL},
	{"sched", "on-cpu", "sched", "sched_switch", "next_pid"},
	{"sched", "wakeup", "sched", "sched_wakeup", NULL},
	{"proc", "create", "sched", "sched_process_fork", NULL},
	{"proc", "exec-success", "sched", "sched_process_exec", NULL},
	{"proc", "lwp-exit", "sched", "sched_process_exit", NULL},
	{"proc", "signal-send", "signal", "signal_generate", NULL},
	{"proc", "signal-handle", "signal", "signal_deliver", NULL},
	{"io", "start", "block", "block_rq_issue", NULL},
	{"io", "done", "block", "block_rq_complete", NULL},
	{"syscall", "entry", "raw_syscalls", "sys_enter", NULL},
	{"syscall", "return", "raw_syscalls", "sys_exit", NULL},
	{"isr", "isr", "irq", "irq_handler_entry", NULL},
	{"dpc", "dpc", "irq", "softirq_entry", NULL},
	{"dpc", "timer", "timer", "timer_expire_entry", NULL},
	{"tcp", "state-change", "sock", "inet_sock_set_state", NULL},
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
	const char *thread;
	bool is_exact; /* the name is no pattern */
	struct tried {
		const struct pmc_source *source;
		bool works;
	} tried[SOURCES_MAX]; /* once for all events: closing a counter waits for all CPUs */
	unsigned ntried;
	int *tag;
	struct err *err;
	int rc;
};

static void add_counter(struct pmc_probe *pp, const struct pmc_source *src)
{
	unsigned n = pp->copy.counts.count;

	if (n >= PERF_GROUP_MAX)
		return;
	pp->siblings[n] = (struct perf_sibling){src->type, src->config};
	snprintf(pp->copy.counts.names[n], sizeof(pp->copy.counts.names[n]), "%s", src->name);
	pp->copy.counts.count++;
}

static void create(const struct search *sr, const char *name, const struct pmc_source *src)
{
	struct session *s = sr->session;
	struct pmc_probe *pp = pmc_create(s, PMC_GROUP, sr->prov, "pmc", name);

	if (!pp)
		return;
	pp->system = intern_str(&s->engine->intern, sr->system);
	pp->event = intern_str(&s->engine->intern, sr->event);
	pp->thread_field = sr->thread;
	pp->has_all = !src;
	if (src) {
		pp->source = *src;
		add_counter(pp, src);
	}
}

static bool source_works(struct search *sr, const struct pmc_source *src,
			 const struct pmc_source *found)
{
	struct err why = {0};
	bool works;

	for (unsigned i = 0; i < sr->ntried; i++)
		if (sr->tried[i].source == src)
			return sr->tried[i].works;
	works = pmc_source_try(found, &why) == 0;
	if (sr->ntried < SOURCES_MAX)
		sr->tried[sr->ntried++] = (struct tried){src, works};
	return works;
}

static void offer_counter(void *arg, const struct pmc_source *src)
{
	struct search *sr = arg;
	struct pmc_source found;
	char name[192];

	snprintf(name, sizeof(name), "%s-%s", sr->name, src->name);
	if (glob_field(sr->desc->name, name) && pmc_source_find(src->name, &found) &&
	    source_works(sr, src, &found))
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
	struct search sr = {.session = s, .desc = d, .err = err};

	sr.tag = tag;
	if (strcmp(d->func, "pmc") != 0 || !glob_field(d->mod, ""))
		return 0;
	sr.is_exact = *d->name && !glob_is_pattern(d->name);
	for (unsigned i = 0; i < ARRAY_SIZE(rows) && !sr.rc; i++) {
		sr.prov = rows[i].prov;
		sr.name = rows[i].name;
		sr.system = rows[i].system;
		sr.event = rows[i].event;
		sr.thread = rows[i].thread;
		if (glob_field(d->prov, sr.prov))
			offer(&sr);
	}
	sr.thread = NULL;
	if (strncmp(d->prov, LINUX, sizeof(LINUX) - 1) == 0 && !sr.rc)
		tracefs_each(world_tracefs(world_of(s)), offer_tracepoint, &sr);
	return MIN(sr.rc, 0);
}

/* Those of tracepoints are too many to be shown with all others: `-ln 'linux-*::pmc:'`. */
int pmc_group_list(struct session *s, struct err *err)
{
	static const struct probe_desc all = {"", "", "pmc", "", 0};
	int tag;

	return pmc_group_provide(s, &all, &tag, err);
}

/* ---- records ---- */

static bool is_meant(const struct pmc_probe *pp, const struct perf_sample *sm)
{
	const struct world *w = world_of(pp->probe->session);

	if (perf_is_own(pp->perf, sm->pid))
		return false;
	return !w->nprocs || proctab_is_followed(perf_procs(pp->perf), sm->pid);
}

/* The process of a thread that an event tells of; forgotten soon, since numbers come again. */
static pid_t process_of(struct pmc_probe *pp, pid_t tid, uint64_t time_ns)
{
	struct pmc_thread *t = &pp->threads[(uint32_t)tid % PMC_THREADS];
	uint64_t pid;

	if (t->tid != tid || time_ns - t->time_ns > THREAD_KEPT_NS) {
		t->tid = tid;
		t->time_ns = time_ns;
		t->pid = tid && procfs_status(tid, "Tgid", 10, &pid) ? (pid_t)pid : tid;
	}
	return t->pid;
}

/* As if that thread had passed it: the stacks are those of another one. */
static const struct perf_sample *of_thread(struct pmc_probe *pp, const struct perf_sample *sm,
					   struct perf_sample *to)
{
	*to = *sm;
	to->tid = (pid_t)tpfield_int(pp->thread, sm->raw, sm->rawlen);
	to->pid = process_of(pp, to->tid, sm->time_ns);
	to->user = NULL;
	to->nkpcs = 0;
	return to;
}

static void on_record(void *arg, const struct perf_sample *sm)
{
	struct pmc_probe *pp = arg;
	struct perf_sample other;
	struct event ev;
	uint32_t len;

	if (pp->thread)
		sm = of_thread(pp, sm, &other);
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
	int rc;

	if (w->recording) /* else it would have been found in the file */
		return err_set(err, -ENOTSUP,
			       "counters at events are in recordings of dtrace -E alone");
	rc = perf_may(pp->perf, p, PERF_SYSTEM, err);
	if (rc < 0)
		return rc;
	if (w->log) {
		p->hits = HITS_RECORD;
		p->needs |= NEED_ARGS;
	}
	pp->format = tracefs_format(world_tracefs(w), pp->system, pp->event);
	if (!pp->format)
		return err_set(err, -ENOENT,
			       "probe description %s::pmc:%s: there is no tracepoint %s:%s here",
			       p->prov, p->name, pp->system, pp->event);
	if (pp->thread_field && !(pp->thread = tpformat_field(pp->format, pp->thread_field)))
		return err_set(err, -ENOENT,
			       "probe description %s::pmc:%s: %s:%s does not tell %s here", p->prov,
			       p->name, pp->system, pp->event, pp->thread_field);
	if (pp->has_all)
		pmc_source_each(add_software, pp);
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
	args->are_all = true; /* sched.d declares its off-cpu, not this one */
}
