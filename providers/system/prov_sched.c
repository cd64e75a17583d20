/*
 * prov_sched.c: what the scheduler does to threads (docs/spec/providers.md §4.3), seen by
 * providers/kernel/bpf/sched.bpf.c. One switch is several probes: off-cpu and its kind in the
 * context of the thread that leaves, then on-cpu in that of the one that comes.
 */
#include <errno.h>
#include <stdlib.h>

#include "providers/kernel/bpfprobe.h"
#include "providers/kernel/kprog/switchclauses.h"
#include "providers/kernel/perf.h"
#include "providers/world/proctab.h"
#include "providers/system/sched_tracepoints.h"
#include "providers/world/kernsyms.h"
#include "providers/providers.h"

/* clang-format off */
static const struct bpf_probe_row rows[SCHED_NROWS] = {
	[SCHED_OFF_CPU] =    {"off-cpu",    "on_switch", 2},
	[SCHED_ON_CPU] =     {"on-cpu",     "on_switch", 0},
	[SCHED_SLEEP] =      {"sleep",      "on_switch", 0},
	[SCHED_PREEMPT] =    {"preempt",    "on_switch", 0},
	[SCHED_ENQUEUE] =    {"enqueue",    "on_switch on_wakeup on_wakeup_new", 3},
	[SCHED_DEQUEUE] =    {"dequeue",    "on_switch on_migrate", 4},
	[SCHED_WAKEUP] =     {"wakeup",     "on_wakeup on_wakeup_new", 2},
	[SCHED_TICK] =       {"tick",       "on_timer", 2},
	[SCHED_CHANGE_PRI] = {"change-pri", "on_priority on_pi", 3},
	[SCHED_SURRENDER] =  {"surrender",  "on_yield", 2},
	[SCHED_REMAIN_CPU] = {"remain-cpu", "", 0},
};
/* clang-format on */

/* cpuinfo_t, and of change-pri the priority */
static const struct bpf_word words[] = {
	{.rows = 1U << SCHED_ENQUEUE | 1U << SCHED_DEQUEUE | 1U << SCHED_CHANGE_PRI, .arg = 2}};

_Static_assert(offsetof(struct bpf_switch, prev) == BPF_SWITCH_SHORT, "short records");
_Static_assert(offsetof(struct bpf_thread, task) == BPF_THREAD_SHORT, "short records");

struct sched {
	struct bpf_probes probes;
	struct taskdetail *texts;
	struct sched_tracepoints *tracepoints; /* NULL: BPF tells */
	struct clause_set *clauses;	       /* that the kernel runs; NULL: none */
	struct {
		struct bpf_switch sw;
		struct bpf_thread th;
	} copy; /* what D reads of a record */
};

static struct sched *sched_of(const struct session *s)
{
	return world_of(s)->sched;
}

/* ---- records ---- */

static void fire_with(struct sched *sc, unsigned row, struct event *ev, const struct bpf_task *t)
{
	ev->args[0] = ev->args[1] = (uintptr_t)t;
	ev->args[2] = t ? (uint64_t)(int64_t)(row == SCHED_CHANGE_PRI ? t->prio : t->cpu) : 0;
	ev->args[3] = 0;
	bpf_probes_fire(&sc->probes, row, ev);
}

static void keep_ids(const struct sched *sc, const struct bpf_task *t)
{
	proctab_ids(perf_procs(world_of(sc->probes.session)->perf), t->pid, (uint32_t)t->uid,
		    (uint32_t)t->gid);
}

/* In the context of the thread that leaves its CPU. */
static void fire_leaving(struct sched *sc, const struct bpf_head *h, bool has_details)
{
	const struct bpf_switch *sw = &sc->copy.sw;
	struct event ev;

	bpf_event_init(sc->probes.bpf, &ev, h);
	if (has_details) {
		ev.raw = sw;
		ev.rawlen = sizeof(*sw);
	}
	fire_with(sc, SCHED_OFF_CPU, &ev, has_details ? &sw->next : NULL);
	if (!sw->is_dead)
		fire_with(sc, sw->is_runnable ? SCHED_PREEMPT : SCHED_SLEEP, &ev, NULL);
	if (h->tid != 0) /* the idle thread is never queued */
		fire_with(sc, sw->is_runnable ? SCHED_ENQUEUE : SCHED_DEQUEUE, &ev,
			  has_details ? &sw->prev : NULL);
}

static void on_switch(void *arg, const struct bpf_head *h, size_t len)
{
	struct sched *sc = arg;
	struct bpf_switch *sw = &sc->copy.sw;
	bool has_details = len >= sizeof(*sw);
	struct bpf_head next = *h;
	struct event ev;

	memcpy(sw, h, MIN(len, sizeof(*sw)));
	if (has_details) {
		taskdetail_fill(sc->texts, &sw->prev);
		taskdetail_fill(sc->texts, &sw->next);
		keep_ids(sc, &sw->prev);
		keep_ids(sc, &sw->next);
	}
	if (sc->probes.wants->rows & ~(1U << SCHED_ON_CPU))
		fire_leaving(sc, h, has_details);
	if (!sc->probes.probes[SCHED_ON_CPU])
		return;
	next.pid = (unsigned)sw->next_pid;
	next.tid = (unsigned)sw->next_tid;
	bpf_event_init(sc->probes.bpf, &ev, &next);
	if (has_details) {
		ev.raw = sw;
		ev.rawlen = sizeof(*sw);
	}
	fire_with(sc, SCHED_ON_CPU, &ev, NULL);
}

/* One of those that the record in sc->copy is about. */
static void fire_member(void *arg, const struct bpf_task *task)
{
	struct sched *sc = arg;
	struct bpf_thread *th = &sc->copy.th;
	struct event ev;

	th->task = *task;
	bpf_event_init(sc->probes.bpf, &ev, &th->head);
	ev.raw = th;
	ev.rawlen = sizeof(*th);
	fire_with(sc, th->row, &ev, &th->task);
}

/* It has ended since: its number, the name of its process, and the priority that was asked for. */
static void know_little(const struct sched *sc, struct bpf_thread *th)
{
	struct proctab *procs = perf_procs(world_of(sc->probes.session)->perf);
	const pid_t pid = proctab_process_of(procs, th->tid);
	const struct taskinfo *info = proctab_get(procs, pid);

	th->task.static_prio = th->task.prio;
	taskdetail_of_gone(sc->texts, th->tid, pid, info->ppid, info->comm, strlen(info->comm),
			   &th->task);
}

static void on_thread(void *arg, const struct bpf_head *h, size_t len)
{
	struct sched *sc = arg;
	struct bpf_thread *th = &sc->copy.th;
	const struct bpf_task *task = NULL;
	struct event ev;

	memcpy(th, h, MIN(len, sizeof(*th)));
	if (th->pid == BPF_THREAD_GROUP) {
		taskdetail_of_group(sc->texts, th->tid, fire_member, sc);
		return;
	}
	if (th->pid == BPF_THREAD_USER) {
		taskdetail_of_user(sc->texts, (uid_t)th->tid, fire_member, sc);
		return;
	}
	if (!th->pid) {
		if (!taskdetail_of_thread(sc->texts, th->tid, &th->task))
			know_little(sc, th);
		task = &th->task;
	} else if (len >= sizeof(*th)) {
		taskdetail_fill(sc->texts, &th->task);
		keep_ids(sc, &th->task);
		task = &th->task;
	}
	bpf_event_init(sc->probes.bpf, &ev, h);
	ev.raw = task ? th : NULL;
	ev.rawlen = task ? sizeof(*th) : 0;
	fire_with(sc, th->row, &ev, task);
	if (th->row == SCHED_WAKEUP)
		fire_with(sc, SCHED_ENQUEUE, &ev, task);
}

/* ---- enabling ---- */

static int find_tick(struct sched *sc, struct err *err)
{
	size_t size;
	struct {
		struct bpf_wants wants;
		uint64_t tick_function;
	} *constants = bpf_rodata(sc->probes.opened, &size);

	if (size < sizeof(*constants))
		return err_set(err, -EINVAL, "the BPF object sched has other constants");
	constants->tick_function = kernel_tick_function(world_of(sc->probes.session));
	if (!constants->tick_function)
		return err_set(err, -ENOENT,
			       "probe description sched:::tick: the scheduler's timer is not in "
			       "/proc/kallsyms (kernel.kptr_restrict?)");
	return 0;
}

/* ---- without programs in the kernel ---- */

static void on_tracepoint(void *arg, enum bpf_sched_row row, struct event *ev,
			  const struct bpf_task *about)
{
	fire_with(arg, row, ev, about);
}

/* The reason why BPF cannot stays in err where nothing else can either. */
static int use_tracepoints(struct sched *sc, struct probe *p, struct err *err)
{
	struct world *w = world_of(p->session);
	unsigned row = bpf_probes_row(p);
	struct err why = {0};
	struct perf *perf;

	if (world_perf(w, &perf, &why) < 0)
		return err->code;
	if (!sc->texts)
		sc->texts = taskdetail_new(world_is_recorded(w));
	if (!sc->tracepoints)
		sc->tracepoints = sched_tracepoints_new(w, perf, sc->texts, on_tracepoint, sc);
	if (sched_tracepoints_add(sc->tracepoints, row, p->needs, &why) < 0) {
		if (w->recording && why.code)
			*err = why;
		return err->code;
	}
	bpf_probes_do_without(p, "pr_addr, pr_wchan, pr_waitns");
	return 0;
}

static int sched_enable(struct probe *p, struct err *err)
{
	struct sched *sc = sched_of(p->session);
	int rc = bpf_probes_enable(p, err);

	if (rc < 0)
		return use_tracepoints(sc, p, err);
	if (rc == 0 && sc->probes.opened && strcmp(p->name, "tick") == 0)
		rc = find_tick(sc, err);
	if (rc == 0 && sc->probes.opened && strcmp(p->name, "on-cpu") == 0 &&
	    p->needs & NEED_KSTACK)
		sc->probes.wants->stacks |= BPF_WANT_NEXT_KSTACK;
	if (rc == 0 && sc->probes.opened) {
		if (!sc->texts)
			sc->texts = taskdetail_new(false);
		bpf_on(sc->probes.bpf, BPF_KIND_SWITCH, on_switch, sc);
		bpf_on(sc->probes.bpf, BPF_KIND_THREAD, on_thread, sc);
	}
	return rc;
}

/* ---- clauses that the kernel runs ---- */

/* A program of the object that nobody needs is left out. */
static void leave_out(const struct bpf_probes *bp, const char *program, unsigned which)
{
	if (!(bp->wants->rows & which))
		bpf_program__set_autoload(bpf_object__find_program_by_name(bp->opened, program),
					  false);
}

/* What runs in the kernel is no work of the object's any more. */
static void prepare(void *arg)
{
	struct sched *sc = arg;
	struct bpf_probes *bp = &sc->probes;

	sc->clauses = switch_clauses_load(bp->session, bp->bpf, bp->probes, bp->nrows);
	for (unsigned i = 0; i < bp->nrows && sc->clauses; i++)
		if (bp->probes[i] && clause_set_has(sc->clauses, bp->probes[i]))
			bp->wants->rows &= ~(1U << i);
	leave_out(bp, "on_switch", (1U << (SCHED_DEQUEUE + 1)) - 1);
	leave_out(bp, "on_wakeup", 1U << SCHED_WAKEUP | 1U << SCHED_ENQUEUE);
	leave_out(bp, "on_wakeup_new", 1U << SCHED_WAKEUP | 1U << SCHED_ENQUEUE);
	leave_out(bp, "on_migrate", 1U << SCHED_DEQUEUE);
}

static int on_loaded(void *arg, struct err *err)
{
	const struct sched *sc = arg;
	int rc = sc->clauses ? clause_set_attach(sc->clauses) : 0;

	return rc < 0 ? err_set(err, rc, "the BPF program of clauses cannot be attached: %s",
				strerror(-rc))
		      : 0;
}

static void collect(void *arg)
{
	clause_set_collect(((struct sched *)arg)->clauses);
}

static int sched_provide(struct session *s, const struct probe_desc *d, int *tag UNUSED,
			 struct err *err UNUSED)
{
	struct sched *sc;

	if (d || world_of(s)->sched)
		return 0;
	sc = world_of(s)->sched = xcalloc(1, sizeof(*sc));
	sc->probes = (struct bpf_probes){.provider = &prov_sched,
					 .object = "sched",
					 .rows = rows,
					 .nrows = SCHED_NROWS,
					 .without_bpf =
						 ~(1U << SCHED_CHANGE_PRI | 1U << SCHED_SURRENDER),
					 .details_have_ids = true,
					 .knows = BPF_KNOWS_IDS | BPF_KNOWS_NAME,
					 .words = words,
					 .nwords = ARRAY_SIZE(words),
					 .prepare = prepare,
					 .loaded = on_loaded,
					 .collect = collect,
					 .loaded_arg = sc,
					 .session = s};
	bpf_probes_create(&sc->probes);
	return 0;
}

static void sched_free(struct session *s)
{
	struct sched *sc = sched_of(s);

	if (!sc)
		return;
	sched_tracepoints_free(sc->tracepoints);
	taskdetail_free(sc->texts);
	clause_set_free(sc->clauses);
	free(sc);
	world_of(s)->sched = NULL;
}

const struct provider prov_sched = {
	.name = "sched",
	.is_of_kernel = true,
	.provide = sched_provide,
	.enable = sched_enable,
	.argtypes = bpf_probes_argtypes,
	.free = sched_free,
	.attrs = &translated_attrs,
	.loss = LOSS_KERNEL,
	.reads_files = true,
};
