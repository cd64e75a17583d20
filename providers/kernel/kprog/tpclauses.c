#include "providers/kernel/kprog/tpclauses.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "providers/kernel/features.h"
#include "providers/kernel/kprog/clauseset.h"
#include "tracer/janitor/watchdog.h"

struct tp_clauses {
	struct session *session;
	const struct provider *provider;
	tp_clauses_counts_fn *counts;
	struct bpf *bpf;
	bool counts_misses; /* the kernel */
	struct tp_clauses_event of[CLAUSESET_UNITS];
	struct clause_unit units[CLAUSESET_UNITS];
	const char *events[CLAUSESET_UNITS]; /* NULL, but for raw tracepoints */
	unsigned n;
	struct clause_source source;
	struct clause_set *set;
};

static bool owns(void *arg, const struct probe *p)
{
	const struct tp_clauses *pc = arg;

	return p->provider == pc->provider;
}

static bool counts(void *arg, const struct clause *c)
{
	const struct tp_clauses *pc = arg;

	return pc->counts(c);
}

static const struct clause_unit *unit_of(const struct tp_clauses *pc, const struct probe *p)
{
	for (unsigned i = 0; i < pc->n; i++)
		if (pc->of[i].probe == p)
			return &pc->units[i];
	return NULL;
}

static const char *refuses(void *arg, const struct session *s UNUSED, const struct clause *c)
{
	const struct tp_clauses *pc = arg;
	const char *why = NULL;

	for (unsigned i = 0; i < c->nprobes && !why; i++) {
		const struct clause_unit *u = unit_of(pc, c->probes[i]);

		why = u ? clausecode_refuses(u, c) : WHY(ROWS);
		if (u && !pc->counts_misses && (why || !pc->events[u->row]))
			why = WHY(MISSES);
	}
	return why;
}

static int prepare(void *arg, struct clause_set *set)
{
	const struct tp_clauses *pc = arg;

	for (unsigned i = 0; i < pc->n; i++)
		if (clause_set_has(set, pc->of[i].probe))
			clause_set_row(set, pc->units[i].row, pc->of[i].probe);
	return 0;
}

/* At an event that happens while a program of another one is at work on that CPU the kernel runs
 * none of those that read records of perf. It counts how often since Linux 6.7; of programs of raw
 * tracepoints, which have no records, it does so before. */
static bool kernel_counts_misses(void)
{
	struct utsname u;
	unsigned major, minor;

	return uname(&u) == 0 && sscanf(u.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 7));
}

struct tp_clauses *tp_clauses_new(struct session *s, const struct provider *provider,
				  tp_clauses_counts_fn *is_counted)
{
	struct world *w = world_of(s);
	struct tp_clauses *pc;
	struct err why;
	struct bpf *b;

	if (world_is_recorded(w) || !feature_works(world_features(w), FEATURE_BPF) ||
	    world_bpf(w, &b, &why) < 0)
		return NULL;
	pc = xcalloc(1, sizeof(*pc));
	pc->session = s;
	pc->provider = provider;
	pc->counts = is_counted;
	pc->bpf = b;
	pc->counts_misses = kernel_counts_misses();
	return pc;
}

void tp_clauses_add(struct tp_clauses *pc, const struct tp_clauses_event *of)
{
	const struct session *s = pc->session;
	struct clause_unit *u = &pc->units[pc->n];

	if (pc->n == CLAUSESET_UNITS)
		return;
	pc->of[pc->n] = *of;
	if (!pc->counts_misses && of->raw &&
	    libbpf_find_vmlinux_btf_id(of->raw, BPF_TRACE_RAW_TP) > 0)
		pc->events[pc->n] = of->raw;
	*u = (struct clause_unit){.session = s,
				  .kind = CLAUSES_OF_TRACEPOINTS,
				  .row = pc->n,
				  .rows = 1,
				  .probes = &pc->of[pc->n].probe,
				  .fields = of->fields,
				  .nfields = of->nfields,
				  .args = {of->args[0], of->args[1]},
				  .has_no_stack = of->has_no_stack};
	if (!pc->counts_misses) {
		u->nfields = 0;
		u->has_no_stack = true;
	}
	if (of->leaves_own_out) {
		u->own[0] = (uint32_t)s->engine_pid;
		u->own[1] = s->watchdog ? (uint32_t)s->watchdog->pid : 0;
	}
	pc->n++;
}

void tp_clauses_find(struct tp_clauses *pc)
{
	pc->source = (struct clause_source){.owns = owns,
					    .events = pc->events,
					    .units = pc->units,
					    .nunits = pc->n,
					    .refuses = refuses,
					    .counts = counts,
					    .prepare = prepare,
					    .arg = pc};
	pc->set = clause_set_find(pc->session, pc->bpf, &pc->source);
}

bool tp_clauses_have(const struct tp_clauses *pc, const struct probe *p)
{
	return pc && clause_set_has(pc->set, p);
}

/* ---- start ---- */

/* It runs on all CPUs, whichever its event is of. Returns what keeps it there, or a negative errno.
 */
static int attach_to_event(const struct tp_clauses *pc, unsigned unit)
{
	struct perf_event_attr a = {.type = PERF_TYPE_TRACEPOINT,
				    .size = sizeof(a),
				    .config = pc->of[unit].id,
				    .disabled = 1}; /* no record comes of it */
	int fd = -ENODEV, link;

	for (int cpu = 0; fd == -ENODEV && cpu < libbpf_num_possible_cpus(); cpu++)
		fd = perf_open(&a, -1, cpu); /* the CPU may be off */
	if (fd < 0)
		return fd;
	bpf_keep_attached(pc->bpf, fd);
	link = bpf_link_create(pc->set->prog_fds[unit], fd, BPF_PERF_EVENT, NULL);
	return link < 0 ? -errno : link;
}

static int attach_raw(const struct tp_clauses *pc, unsigned unit)
{
	const int link = bpf_raw_tracepoint_open(NULL, pc->set->prog_fds[unit]);

	return link < 0 ? -errno : link;
}

static int attach(const struct tp_clauses *pc, unsigned unit, struct err *err)
{
	const int link = pc->events[unit] ? attach_raw(pc, unit) : attach_to_event(pc, unit);
	const struct probe *p = pc->of[unit].probe;

	if (link < 0)
		return err_set(err, link, "the clauses of %s:%s:%s:%s cannot be attached: %s%s",
			       p->prov, p->mod, p->func, p->name, strerror(-link),
			       err_next_step(-link));
	bpf_keep_attached(pc->bpf, link);
	return 0;
}

static int attach_all(void *arg, struct err *err)
{
	const struct tp_clauses *pc = arg;
	int rc = 0;

	for (unsigned i = 0; i < pc->n && rc == 0; i++)
		if (pc->set->units[i].n)
			rc = attach(pc, i, err);
	return rc;
}

bool tp_clauses_start(struct tp_clauses *pc)
{
	pc->set = clause_set_load(pc->set, &pc->source);
	if (pc->set)
		bpf_add_extra(pc->bpf, &(struct bpf_extra){attach_all, NULL, pc});
	return pc->set;
}

void tp_clauses_collect(struct tp_clauses *pc)
{
	if (pc)
		clause_set_collect(pc->set);
}

void tp_clauses_free(struct tp_clauses *pc)
{
	if (!pc)
		return;
	clause_set_free(pc->set);
	free(pc);
}
