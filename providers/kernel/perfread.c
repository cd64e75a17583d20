/*
 * perfread.c: from the rings to the functions of the providers. The layout of records: man
 * perf_event_open, "PERF_RECORD_SAMPLE" and "sample_id".
 */
#include "dlang/run/gaps.h"
#include "providers/kernel/perfdecode.h"
#include "providers/kernel/perfidle.h"
#include "providers/world/kernsyms.h"

/* ---- records in time ---- */

static void look(struct perf *p, unsigned cpu)
{
	const struct perf_event_header *h = perf_ring_record(&p->cpus[cpu].ring);

	p->times[cpu] = h ? perf_record_time(h) : UINT64_MAX;
}

static void perf_gather(void *arg)
{
	struct perf *p = arg;

	for (unsigned i = 0; i < p->ncpus; i++) {
		if (p->cpus[i].leader < 0)
			continue;
		perf_ring_gather(&p->cpus[i].ring);
		if (p->times[i] == UINT64_MAX)
			look(p, i);
	}
}

static unsigned oldest(const struct perf *p)
{
	unsigned first = 0;

	for (unsigned i = 1; i < p->ncpus; i++)
		if (p->times[i] < p->times[first])
			first = i;
	return first;
}

static uint64_t perf_peek(void *arg)
{
	const struct perf *p = arg;

	return p->times[oldest(p)];
}

/* ---- samples ---- */

/*
 * With several listeners a tracepoint calls them from a function of its own, __traceiter_EVENT: no
 * part of what was going on. The answer for an address is kept.
 */
static bool is_tracing(struct perf *p, uint64_t pc)
{
	static char yes, no;
	struct symname name;
	const char *known;

	known = hash_get(&p->tracing_pcs, pc);
	if (!known) {
		kallsyms_lookup(world_ksyms(p->world), pc, &name);
		known = name.function && strncmp(name.function, "__traceiter_", 12) == 0 ? &yes
											 : &no;
		hash_put(&p->tracing_pcs, pc, (void *)(uintptr_t)known);
	}
	return known == &yes;
}

static void take_sample(struct perf *p, const struct perf_event_header *h)
{
	const struct perf_prefix *pre = (const void *)(h + 1);
	struct perf_sample sm;
	struct kevent *e;

	if (h->size < sizeof(*h) + sizeof(*pre))
		return;
	e = hash_get(&p->by_id, pre->id);
	if (!e)
		return;
	e->nread++;
	if (e->want.scope == PERF_TARGETS && p->filters_pids &&
	    !proctab_is_followed(p->procs, (pid_t)pre->pid))
		return;
	if (perf_is_double(p, pre->id, (pid_t)pre->tid))
		return;
	perf_decode(h, e->sample_type, &sm, &p->user);
	if (e->sample_type & PERF_SAMPLE_RAW && sm.nkpcs && is_tracing(p, sm.kpcs[0])) {
		sm.kpcs++;
		sm.nkpcs--;
	}
	if (e == p->idle_output)
		e = perf_idle_unpack(p, &sm);
	for (unsigned i = 0; e && i < e->nsubs; i++)
		e->subs[i].fn(e->subs[i].arg, &sm);
}

/* ---- the other records ---- */

void perf_lost(struct perf *p, unsigned cpu, uint64_t n, uint64_t time_ns)
{
	p->nlost += n;
	session_lose_events(p->world->session, cpu, n);
	if (p->on_lost)
		p->on_lost(p->on_lost_arg, cpu, n, time_ns);
}

struct mmap2 {
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint32_t dev_major, dev_minor;
	uint64_t ino, generation;
	uint32_t prot, flags;
	char path[];
};

static void tell_mapping(struct perf *p, unsigned cpu, const struct mmap2 *m, uint64_t time_ns)
{
	const struct perf_mapping map = {
		.at = {.pid = (pid_t)m->pid,
		       .tid = (pid_t)m->tid,
		       .cpu = (int)cpu,
		       .time_ns = time_ns},
		.path = m->path,
		.start = m->addr,
		.end = m->addr + m->len,
		.file_off = m->pgoff,
	};

	if (p->on_mapping && m->path[0] == '/')
		p->on_mapping(p->on_mapping_arg, &map);
}

static void take_mapping(struct perf *p, const struct mmap2 *m)
{
	const struct procspace_map map = {
		.start = m->addr,
		.end = m->addr + m->len,
		.file_off = m->pgoff,
		.dev_major = m->dev_major,
		.dev_minor = m->dev_minor,
		.ino = m->ino,
		.path = m->path,
	};

	procspace_mapped(p->spaces, (pid_t)m->pid, &map);
}

static void tell_task(struct perf *p, unsigned cpu, const struct perf_event_header *h, int what)
{
	const uint32_t *w = (const uint32_t *)(h + 1);
	struct perf_task t = {
		.what = what,
		.at = {.pid = (pid_t)w[0],
		       .tid = (pid_t)(what == TASK_EXEC ? w[1] : w[2]),
		       .cpu = (int)cpu,
		       .time_ns = perf_record_time(h)},
	};

	if (what == TASK_NEW) {
		t.parent_pid = (pid_t)w[1];
		t.parent_tid = (pid_t)w[3];
	}
	if (p->on_task && (p->is_system || proctab_is_followed(p->procs, t.at.pid)))
		p->on_task(p->on_task_arg, &t);
}

static void tell_switch(struct perf *p, unsigned cpu, unsigned misc, const struct perf_trailer *t)
{
	const struct perf_switch s = {
		.at = {.pid = (pid_t)t->pid,
		       .tid = (pid_t)t->tid,
		       .cpu = (int)cpu,
		       .time_ns = t->time_ns},
		.is_out = misc & PERF_RECORD_MISC_SWITCH_OUT,
		.is_preempted = misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT,
	};

	if (p->on_switch && (p->is_system || proctab_is_followed(p->procs, s.at.pid)))
		p->on_switch(p->on_switch_arg, &s);
}

static void take_record(struct perf *p, unsigned cpu, const struct perf_event_header *h)
{
	const uint32_t *w = (const uint32_t *)(h + 1);
	size_t room = h->size - sizeof(*h);
	const struct perf_trailer *t;
	char comm[16] = "";

	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		take_sample(p, h);
		return;
	case PERF_RECORD_LOST:
		if (room >= 16)
			perf_lost(p, cpu, ((const uint64_t *)w)[1], perf_record_time(h));
		return;
	case PERF_RECORD_COMM:
		if (room < 8 + sizeof(struct perf_trailer))
			return;
		memcpy(comm, w + 2, MIN(sizeof(comm), room - 8 - sizeof(struct perf_trailer)));
		comm[15] = '\0';
		proctab_comm(p->procs, (pid_t)w[0], (pid_t)w[1], comm,
			     h->misc & PERF_RECORD_MISC_COMM_EXEC);
		if (!(h->misc & PERF_RECORD_MISC_COMM_EXEC))
			return;
		procspace_execed(p->spaces, (pid_t)w[0]);
		perf_thread_ended(p, (pid_t)w[0]);
		tell_task(p, cpu, h, TASK_EXEC);
		return;
	case PERF_RECORD_FORK:
		if (room < 16)
			return;
		proctab_fork(p->procs, (pid_t)w[0], (pid_t)w[1], (pid_t)w[2], (pid_t)w[3]);
		if (w[0] != w[1] && p->wants_names)
			procspace_forked(p->spaces, (pid_t)w[0], (pid_t)w[1]);
		tell_task(p, cpu, h, TASK_NEW);
		return;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		t = (const void *)((const char *)h + h->size - sizeof(*t));
		if (room < sizeof(*t))
			return;
		proctab_switch(p->procs, (pid_t)t->tid, h->misc & PERF_RECORD_MISC_SWITCH_OUT,
			       t->time_ns);
		tell_switch(p, cpu, h->misc, t);
		return;
	case PERF_RECORD_MMAP2:
		if (room <= sizeof(struct mmap2) + sizeof(struct perf_trailer))
			return;
		take_mapping(p, (const struct mmap2 *)w);
		tell_mapping(p, cpu, (const struct mmap2 *)w, perf_record_time(h));
		return;
	case PERF_RECORD_EXIT:
		if (room < 16)
			return;
		tell_task(p, cpu, h, TASK_EXIT);
		proctab_exit(p->procs, (pid_t)w[0], (pid_t)w[2]);
		perf_thread_ended(p, (pid_t)w[2]);
		if (w[0] == w[2])
			procspace_forget(p->spaces, (pid_t)w[0]);
		return;
	default: /* THROTTLE and the like change nothing here */
		return;
	}
}

static void perf_fire(void *arg)
{
	struct perf *p = arg;
	unsigned cpu = oldest(p);
	struct perf_ring *ring = &p->cpus[cpu].ring;
	const struct perf_event_header *h = perf_ring_record(ring);

	if (h) {
		take_record(p, cpu, h);
		perf_ring_skip(ring, h);
	}
	look(p, cpu);
}

const struct event_source perf_source = {
	.gather = perf_gather,
	.peek = perf_peek,
	.fire = perf_fire,
	.start = perf_start,
	.stop = perf_stop,
	.free = perf_free,
};

/* ---- events ---- */

/* When a clause asks for it: the process may have gone on, or be gone. */
static unsigned walk(const struct event *ev, taddr_t *pcs, unsigned max)
{
	const struct perf *p = world_of(ev->probe->session)->perf;
	struct proc *traced = procspace_traced(p->spaces, ev->pid);
	unsigned n = userstack_walk(p->userstacks, ev->pid, ev->user, pcs, max);

	if (traced)
		world_learn_addresses(p->world, traced, pcs, n);
	return n;
}

void perf_learn_address(struct perf *p, pid_t pid, taddr_t pc)
{
	struct proc *traced = pc ? procspace_traced(p->spaces, pid) : NULL;

	if (traced)
		world_learn_addresses(p->world, traced, &pc, 1);
}

void perf_event_user(struct event *ev, const struct userstack *user)
{
	ev->regs = user->has_regs ? &user->regs : NULL;
	ev->user = user;
	ev->walk = walk;
}

void perf_event_init(struct perf *p, struct event *ev, const struct perf_sample *sm)
{
	*ev = (struct event){
		.target = procspace_of(p->spaces, sm->pid),
		.pid = sm->pid,
		.tid = sm->tid,
		.cpu = sm->cpu,
		.time_ns = sm->time_ns,
		.is_late = true,
		.vtime_ns = perf_vtime(p, sm->tid, sm->time_ns),
		.kpcs = sm->kpcs,
		.nkpcs = sm->nkpcs,
		.raw = sm->raw,
		.rawlen = sm->rawlen,
		.task = proctab_get(p->procs, sm->pid),
	};
	if (sm->user)
		perf_event_user(ev, sm->user);
}
