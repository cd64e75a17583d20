#include "providers/system/sched_tracepoints.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "providers/world/proctab.h"
#include "providers/world/kernsyms.h"
#include "tracer/procfs/procfs.h"

/* prev_state of sched_switch, as fs/proc names it in its report (include/linux/sched.h) */
enum { REPORT_DEAD = 0x30, REPORT_PREEMPTED = 0x100 };

struct sched_tracepoints {
	struct world *world;
	struct perf *perf;
	struct taskdetail *texts;
	sched_tracepoints_fn *fn;
	void *arg;
	unsigned rows, wants_args; /* bits by row */
	bool listens_to_switches;
	bool in_root_pidns; /* of processes: those of the kernel */
	struct {
		const struct tpfield *state, *next_tid, *next_prio, *next_comm;
	} sw;
	struct {
		const struct tpfield *tid, *prio, *comm;
	} woken, migrated;
	const struct tpfield *timer_function, *call;
	uint64_t tick_function;
	struct {
		pid_t pid, tid;
	} * on_cpu; /* who came last to each CPU: the dead have no number any more */
	struct bpf_task about;
};

static bool is_wanted(const struct sched_tracepoints *st, enum bpf_sched_row row)
{
	return st->rows & 1U << row;
}

static void fire(struct sched_tracepoints *st, enum bpf_sched_row row, const struct event *ev,
		 const struct bpf_task *about)
{
	struct event own = *ev;

	own.raw = about;
	own.rawlen = about ? sizeof(*about) : 0;
	if (is_wanted(st, row))
		st->fn(st->arg, row, &own, about);
}

/* The thread that a record names; NULL: nobody reads of it. */
static const struct bpf_task *look_up(struct sched_tracepoints *st, enum bpf_sched_row row,
				      pid_t tid, int prio, const struct tpfield *comm,
				      const struct perf_sample *sm)
{
	struct proctab *procs = perf_procs(st->perf);
	size_t len = 0;
	pid_t pid;
	const char *name = comm ? tpfield_bytes(comm, sm->raw, sm->rawlen, &len) : NULL;

	if (!name) { /* it is the current thread */
		name = proctab_get(procs, sm->pid)->comm;
		len = strlen(name);
	} else if (!st->in_root_pidns) {
		tid = 0; /* the record has the kernel's number, which is another's here */
	}
	if (!(st->wants_args & 1U << row))
		return NULL;
	if (!tid ||
	    !taskdetail_of_thread(st->texts, tid, &st->about)) { /* the idle thread, or gone */
		pid = proctab_process_of(procs, tid);
		memset(&st->about, 0, sizeof(st->about));
		taskdetail_of_gone(st->texts, tid, pid, proctab_parent(procs, pid), name, len,
				   &st->about);
	}
	if (prio)
		st->about.prio = prio;
	st->about.cpu = sm->cpu;
	return &st->about;
}

/* ---- a CPU goes to another ---- */

/* The thread that leaves, with its own stack. */
static void leaves(struct sched_tracepoints *st, const struct event *ev, bool is_runnable,
		   bool is_dead, const struct bpf_task *next)
{
	fire(st, SCHED_OFF_CPU, ev, next);
	if (!is_dead)
		fire(st, is_runnable ? SCHED_PREEMPT : SCHED_SLEEP, ev, NULL);
}

/* Of a file, which need not have the records that tell of this live. */
static void comes(struct sched_tracepoints *st, const struct perf_sample *sm, pid_t tid)
{
	struct perf_sample at = {.tid = tid, .cpu = sm->cpu, .time_ns = sm->time_ns};
	struct event ev;

	at.pid = proctab_process_of(perf_procs(st->perf), tid);
	perf_event_init(st->perf, &ev, &at);
	fire(st, SCHED_ON_CPU, &ev, NULL);
}

static void on_switch_event(void *arg, const struct perf_sample *sm)
{
	struct sched_tracepoints *st = arg;
	struct perf_sample prev = *sm;
	unsigned state = (unsigned)tpfield_int(st->sw.state, sm->raw, sm->rawlen);
	pid_t next = (pid_t)tpfield_int(st->sw.next_tid, sm->raw, sm->rawlen);
	int prio = (int)tpfield_int(st->sw.next_prio, sm->raw, sm->rawlen);
	bool is_runnable = !state || state & REPORT_PREEMPTED;
	enum bpf_sched_row queue = is_runnable ? SCHED_ENQUEUE : SCHED_DEQUEUE;
	struct event ev;

	if (prev.tid < 0) {
		prev.pid = st->on_cpu[sm->cpu].pid;
		prev.tid = st->on_cpu[sm->cpu].tid;
	}
	perf_event_init(st->perf, &ev, &prev);
	leaves(st, &ev, is_runnable, state & REPORT_DEAD,
	       look_up(st, SCHED_OFF_CPU, next, prio, st->sw.next_comm, sm));
	if (prev.tid && is_wanted(st, queue))
		fire(st, queue, &ev, look_up(st, queue, prev.tid, 0, NULL, &prev));
	if (world_is_recorded(st->world))
		comes(st, sm, next);
}

static void on_switch_record(void *arg, const struct perf_switch *s)
{
	struct sched_tracepoints *st = arg;
	struct event ev;

	if (world_is_recorded(st->world)) /* the tracepoint tells more */
		return;
	if (!s->is_out) {
		st->on_cpu[s->at.cpu].pid = s->at.pid;
		st->on_cpu[s->at.cpu].tid = s->at.tid;
	} else if (perf_sees_all(st->perf)) {
		return; /* the tracepoint tells more */
	}
	perf_event_init(st->perf, &ev, &s->at);
	if (s->is_out)
		leaves(st, &ev, s->is_preempted, s->is_dead, NULL);
	else
		fire(st, SCHED_ON_CPU, &ev, NULL);
}

/* ---- threads ---- */

static void tell(struct sched_tracepoints *st, enum bpf_sched_row row, const struct perf_sample *sm,
		 pid_t tid, int prio, const struct tpfield *comm)
{
	struct event ev;

	if (!is_wanted(st, row))
		return;
	perf_event_init(st->perf, &ev, sm);
	fire(st, row, &ev, look_up(st, row, tid, prio, comm, sm));
}

static void on_wakeup(void *arg, const struct perf_sample *sm)
{
	struct sched_tracepoints *st = arg;
	pid_t tid = (pid_t)tpfield_int(st->woken.tid, sm->raw, sm->rawlen);
	int prio = (int)tpfield_int(st->woken.prio, sm->raw, sm->rawlen);

	tell(st, SCHED_WAKEUP, sm, tid, prio, st->woken.comm);
	tell(st, SCHED_ENQUEUE, sm, tid, prio, st->woken.comm);
}

static void on_migration(void *arg, const struct perf_sample *sm)
{
	struct sched_tracepoints *st = arg;

	tell(st, SCHED_DEQUEUE, sm, (pid_t)tpfield_int(st->migrated.tid, sm->raw, sm->rawlen),
	     (int)tpfield_int(st->migrated.prio, sm->raw, sm->rawlen), st->migrated.comm);
}

/* The filters of these two are the kernel's only while nobody else wants more of the event. */
static void on_tick(void *arg, const struct perf_sample *sm)
{
	struct sched_tracepoints *st = arg;

	if (tpfield_int(st->timer_function, sm->raw, sm->rawlen) == st->tick_function)
		tell(st, SCHED_TICK, sm, sm->tid, 0, NULL);
}

static void on_yield(void *arg, const struct perf_sample *sm)
{
	struct sched_tracepoints *st = arg;

	if (tpfield_int(st->call, sm->raw, sm->rawlen) == SYS_sched_yield)
		tell(st, SCHED_SURRENDER, sm, sm->tid, 0, NULL);
}

/* ---- listening ---- */

static int add(struct sched_tracepoints *st, const char *system, const char *name, unsigned flags,
	       const char *filter, perf_fn *fn, struct err *err)
{
	const struct tpformat *fmt = tracefs_format(world_tracefs(st->world), system, name);
	const struct perf_want want = {.type = PERF_TYPE_TRACEPOINT,
				       .config = fmt ? fmt->id : 0,
				       .scope = PERF_SYSTEM,
				       .flags = PERF_RAW | flags,
				       .filter = filter,
				       .format = fmt,
				       .fn = fn,
				       .arg = st};

	return fmt ? perf_add(st->perf, &want, err) : perf_lacks(st->world, system, name, err);
}

/* One more event that tells the same: a file may not have it. */
static int add_more(struct sched_tracepoints *st, const char *system, const char *name,
		    unsigned flags, perf_fn *fn, struct err *err)
{
	int rc = add(st, system, name, flags, NULL, fn, err);

	return rc == -ENOENT && st->world->recording ? 0 : rc;
}

static const struct tpfield *field(struct sched_tracepoints *st, const char *system,
				   const char *event, const char *name)
{
	const struct tpformat *fmt = tracefs_format(world_tracefs(st->world), system, event);

	return fmt ? tpformat_field(fmt, name) : NULL;
}

static int add_switches(struct sched_tracepoints *st, unsigned flags, struct err *err)
{
	st->sw.state = field(st, "sched", "sched_switch", "prev_state");
	st->sw.next_tid = field(st, "sched", "sched_switch", "next_pid");
	st->sw.next_comm = field(st, "sched", "sched_switch", "next_comm");
	st->sw.next_prio = field(st, "sched", "sched_switch", "next_prio");
	if (!st->sw.state || !st->sw.next_tid || !st->sw.next_prio)
		return perf_lacks(st->world, "sched", "sched_switch", err);
	return add(st, "sched", "sched_switch", flags, NULL, on_switch_event, err);
}

static int add_wakeups(struct sched_tracepoints *st, unsigned flags, struct err *err)
{
	int rc;

	st->woken.tid = field(st, "sched", "sched_wakeup", "pid");
	st->woken.prio = field(st, "sched", "sched_wakeup", "prio");
	st->woken.comm = field(st, "sched", "sched_wakeup", "comm");
	if (!st->woken.tid || !st->woken.prio)
		return perf_lacks(st->world, "sched", "sched_wakeup", err);
	rc = add(st, "sched", "sched_wakeup", flags, NULL, on_wakeup, err);
	return rc ? rc : add_more(st, "sched", "sched_wakeup_new", flags, on_wakeup, err);
}

static int add_migrations(struct sched_tracepoints *st, unsigned flags, struct err *err)
{
	st->migrated.tid = field(st, "sched", "sched_migrate_task", "pid");
	st->migrated.prio = field(st, "sched", "sched_migrate_task", "prio");
	st->migrated.comm = field(st, "sched", "sched_migrate_task", "comm");
	if (!st->migrated.tid || !st->migrated.prio)
		return perf_lacks(st->world, "sched", "sched_migrate_task", err);
	return add(st, "sched", "sched_migrate_task", flags, NULL, on_migration, err);
}

static int add_ticks(struct sched_tracepoints *st, unsigned flags, struct err *err)
{
	char filter[64];

	st->tick_function = kernel_tick_function(st->world);
	st->timer_function = field(st, "timer", "hrtimer_expire_entry", "function");
	if (!st->tick_function || !st->timer_function)
		return -ENOENT;
	snprintf(filter, sizeof(filter), "function == 0x%lx", (unsigned long)st->tick_function);
	return add(st, "timer", "hrtimer_expire_entry", flags, filter, on_tick, err);
}

static int add_yields(struct sched_tracepoints *st, unsigned flags, struct err *err)
{
	char filter[32];

	st->call = field(st, "raw_syscalls", "sys_enter", "id");
	if (!st->call)
		return perf_lacks(st->world, "raw_syscalls", "sys_enter", err);
	snprintf(filter, sizeof(filter), "id == %d", SYS_sched_yield);
	return add(st, "raw_syscalls", "sys_enter", flags, filter, on_yield, err);
}

/* Of the whole machine. */
static int listen_to(struct sched_tracepoints *st, enum bpf_sched_row row, unsigned flags,
		     struct err *err)
{
	int rc;

	switch (row) {
	case SCHED_OFF_CPU:
	case SCHED_SLEEP:
	case SCHED_PREEMPT:
		return add_switches(st, flags, err);
	case SCHED_ON_CPU:
		return world_is_recorded(st->world) ? add_switches(st, flags, err) : 0;
	case SCHED_WAKEUP:
		return add_wakeups(st, flags, err);
	case SCHED_ENQUEUE:
		rc = add_wakeups(st, flags, err);
		return rc ? rc : add_switches(st, flags, err);
	case SCHED_DEQUEUE:
		rc = add_migrations(st, flags, err);
		return rc ? rc : add_switches(st, flags, err);
	case SCHED_TICK:
		return add_ticks(st, flags, err);
	case SCHED_SURRENDER:
		return add_yields(st, flags, err);
	default:
		return -ENOENT;
	}
}

/* Of traced programs: their own switches, without partners and stacks. */
static bool tells_of_targets(const struct sched_tracepoints *st, enum bpf_sched_row row,
			     unsigned needs)
{
	if (!st->world->nprocs || needs & (NEED_ARGS | NEED_MEM))
		return false;
	return row == SCHED_OFF_CPU || row == SCHED_ON_CPU || row == SCHED_SLEEP ||
	       row == SCHED_PREEMPT;
}

int sched_tracepoints_add(struct sched_tracepoints *st, enum bpf_sched_row row, unsigned needs,
			  struct err *err)
{
	int rc = 0;

	if (perf_sees_all(st->perf))
		rc = listen_to(st, row, perf_flags(needs), err);
	else if (!tells_of_targets(st, row, needs))
		rc = -ENOENT;
	if (rc < 0)
		return rc;
	st->rows |= 1U << row;
	st->wants_args |= needs & (NEED_ARGS | NEED_MEM) ? 1U << row : 0;
	perf_note_needs(st->perf, needs);
	if (!st->listens_to_switches)
		perf_on_switch(st->perf, on_switch_record, st);
	st->listens_to_switches = true;
	return 0;
}

struct sched_tracepoints *sched_tracepoints_new(struct world *w, struct perf *p,
						struct taskdetail *texts, sched_tracepoints_fn *fn,
						void *arg)
{
	struct sched_tracepoints *st = xcalloc(1, sizeof(*st));

	st->world = w;
	st->perf = p;
	st->texts = texts;
	st->fn = fn;
	st->arg = arg;
	st->in_root_pidns = w->recording || procfs_in_root_pidns();
	st->on_cpu = xcalloc(perf_ncpus(p), sizeof(*st->on_cpu));
	return st;
}

void sched_tracepoints_free(struct sched_tracepoints *st)
{
	if (st)
		free(st->on_cpu);
	free(st);
}
