/*
 * perfread.c: from the rings to the functions of the providers. The layout of records: man
 * perf_event_open, "PERF_RECORD_SAMPLE" and "sample_id".
 */
#include "dlang/run/gaps.h"
#include "providers/kernel/perfdecode.h"
#include "providers/kernel/perfidle.h"
#include "providers/world/kernsyms.h"

/* The longest record that is put together here: a stack, and what a tracepoint has. */
#define LOG_WORDS 2048

/* ---- records in time ---- */

/* Of every record in a ring. */
static const struct perf_layout prefix = {.sample_type = PERF_PREFIX, .has_trailer = true};

static void look(struct perf *p, unsigned cpu)
{
	const struct perf_event_header *h = perf_ring_record(&p->cpus[cpu].ring);
	struct perf_place at;

	if (h)
		perf_place(&prefix, h, &at);
	p->times[cpu] = h ? at.time_ns : UINT64_MAX;
}

static void perf_gather(void *arg)
{
	struct perf *p = arg;

	if (p->world->log)
		perfwrite_round(p->world->log);
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

/* ---- the parent of a process that has gone ---- */

struct ended {
	pid_t pid, ppid;
};

static bool is_its_exit(void *arg, const struct perf_event_header *h)
{
	struct ended *e = arg;
	struct perf_record r;

	if (!perf_decode_record(h, &prefix, &r) || r.pid != e->pid || r.tid != e->pid)
		return false;
	e->ppid = r.parent.pid;
	return true;
}

pid_t perf_parent_at_exit(void *arg, pid_t pid)
{
	const struct perf *p = arg;
	struct ended e = {.pid = pid};

	for (unsigned i = 0; i < p->ncpus; i++)
		if (p->cpus[i].leader >= 0 &&
		    perf_ring_find(&p->cpus[i].ring, PERF_RECORD_EXIT, is_its_exit, &e))
			break;
	return e.ppid;
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

void perf_trim(struct perf *p, const struct perf_layout *layout, struct perf_sample *sm)
{
	const uint64_t both = PERF_SAMPLE_RAW | PERF_SAMPLE_CALLCHAIN;

	if ((layout->sample_type & both) == both && sm->nkpcs && is_tracing(p, sm->kpcs[0])) {
		sm->kpcs++;
		sm->nkpcs--;
	}
}

/* Events of the kernel that all who listen get by one call, with one sample between them. */
static bool is_shared(const struct kevent *e)
{
	return e->want.type == PERF_TYPE_SOFTWARE &&
	       ((e->want.config >= PERF_COUNT_SW_PAGE_FAULTS &&
		 e->want.config <= PERF_COUNT_SW_EMULATION_FAULTS) ||
		e->want.config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

/*
 * Kernels from 6.2 on write into the records of all the number of the first, which may be another
 * tool's: then it is the one of ours that it can be. NULL: there are several.
 */
static struct kevent *event_of_others(const struct perf *p)
{
	struct kevent *only = NULL;

	for (struct kevent *e = p->events; e; e = e->next) {
		if (!is_shared(e) || e->is_counter)
			continue;
		if (only)
			return NULL;
		only = e;
	}
	return only;
}

/* One of those that share an event may want the targets alone, where another wants all. */
static bool is_wanted(const struct perf *p, const struct kevent *e, unsigned sub, pid_t pid)
{
	return e->want.scope != PERF_SYSTEM || e->subs[sub].scope != PERF_TARGETS ||
	       !p->world->nprocs || proctab_is_followed(p->procs, pid);
}

/* ---- the file of -E ---- */

/* Samples of ourselves, which nobody is told of, are not for later either. */
static void log_sample(const struct perf *p, const struct kevent *e,
		       const struct perf_event_header *h, const struct perf_record *r)
{
	const bool is_ours = perf_is_own(p, r->pid) || r->pid == p->world->session->front_pid;

	if (is_ours && e->want.type != PERF_TYPE_TRACEPOINT)
		return;
	/* it may have the number of another tool's event */
	perfwrite_add(p->world->log, h, hash_get(&p->by_id, r->id) == e ? 0 : e->log_id);
}

/* Words of a record; what finds no room makes it no record. */
struct record_words {
	uint64_t v[LOG_WORDS];
	size_t n;
};

static void add_word(struct record_words *w, uint64_t v)
{
	if (w->n < ARRAY_SIZE(w->v))
		w->v[w->n] = v;
	w->n++;
}

static void add_raw(struct record_words *w, const void *raw, uint32_t len)
{
	const size_t n = ((size_t)len + sizeof(len) + 7) / 8;
	const uint32_t padded = (uint32_t)(n * 8 - sizeof(len));

	if (w->n + n <= ARRAY_SIZE(w->v)) {
		memset(w->v + w->n, 0, n * 8);
		memcpy(w->v + w->n, &padded, sizeof(padded));
		memcpy((char *)(w->v + w->n) + sizeof(padded), raw, len);
	}
	w->n += n;
}

/* What a program has seen of an idle CPU, and other events without a record, as the kernel would
 * have written it: the fields in the order of man perf_event_open, "PERF_RECORD_SAMPLE". */
static void log_made(const struct perf *p, const struct kevent *e, const struct perf_sample *sm)
{
	const uint64_t type = e->layout.sample_type;
	struct perf_event_header h = {.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_KERNEL};
	struct record_words w = {.n = 1};

	add_word(&w, e->log_id);
	add_word(&w, sm->ip);
	add_word(&w, (uint64_t)(uint32_t)sm->tid << 32 | (uint32_t)sm->pid);
	add_word(&w, sm->time_ns);
	if (type & PERF_SAMPLE_ADDR)
		add_word(&w, sm->addr);
	add_word(&w, (uint64_t)sm->cpu);
	if (type & PERF_SAMPLE_PERIOD)
		add_word(&w, 1);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		add_word(&w, sm->nkpcs ? sm->nkpcs + 1 : 0);
		if (sm->nkpcs)
			add_word(&w, PERF_CONTEXT_KERNEL);
		for (unsigned i = 0; i < sm->nkpcs; i++)
			add_word(&w, sm->kpcs[i]);
	}
	if (type & PERF_SAMPLE_RAW)
		add_raw(&w, sm->raw, sm->rawlen);
	if (type & PERF_SAMPLE_REGS_USER)
		add_word(&w, PERF_SAMPLE_REGS_ABI_NONE);
	if (type & PERF_SAMPLE_STACK_USER)
		add_word(&w, 0);
	if (w.n > ARRAY_SIZE(w.v))
		return;
	h.size = (uint16_t)(w.n * sizeof(w.v[0]));
	memcpy(w.v, &h, sizeof(h));
	perfwrite_add(p->world->log, (const void *)w.v, 0);
}

/* ---- samples ---- */

/* Its group may have others' counters as well. */
static void order_counts(struct perf *p, const struct kevent *e, struct perf_sample *sm)
{
	for (unsigned i = 0; i <= e->want.nsiblings; i++) {
		unsigned at = i ? e->sibling_at[i - 1] : e->group_at;

		p->counts[i] = at < sm->ncounts ? sm->counts[(size_t)at * sm->stride] : 0;
	}
	sm->counts = p->counts;
	sm->ncounts = e->want.nsiblings + 1;
	sm->stride = 1;
}

static void take_sample(struct perf *p, unsigned cpu, const struct perf_event_header *h,
			const struct perf_record *r)
{
	struct kevent *e = hash_get(&p->by_id, r->id);
	struct perf_sample sm;

	if (!e)
		e = event_of_others(p);
	if (!e) {
		p->nlost--; /* of those that the kernel counts as lost it is none */
		perf_lost(p, cpu, 1, r->time_ns);
		return;
	}
	e->nread++;
	if (e->want.scope == PERF_TARGETS && p->filters_pids &&
	    !proctab_is_followed(p->procs, r->pid))
		return;
	if (perf_is_double(p, r->id, r->tid))
		return;
	if (e->logged)
		log_sample(p, e, h, r);
	perf_decode(h, &e->layout, &sm, &p->user);
	perf_trim(p, &e->layout, &sm);
	if (e->want.nsiblings)
		order_counts(p, e, &sm);
	if (e == p->idle_output) {
		e = perf_idle_unpack(p, &sm);
		if (e && e->logged)
			log_made(p, e, &sm);
	}
	if (e)
		perf_tell(p, e, &sm);
}

bool perf_tell_counts(const struct kevent *e)
{
	bool is_all = true;

	for (unsigned i = 0; i < e->nsubs; i++)
		if (e->subs[i].count)
			++*e->subs[i].count;
		else
			is_all = false;
	return !is_all;
}

void perf_tell(const struct perf *p, const struct kevent *e, const struct perf_sample *sm)
{
	const bool defers =
		p->world->log_only && !(e->want.flags & PERF_RARE) && !e->want.nsiblings;

	if (defers && !p->world->log_acts)
		return;
	p->world->session->engine->defers = defers;
	for (unsigned i = 0; i < e->nsubs; i++)
		if (!e->subs[i].count && is_wanted(p, e, i, sm->pid))
			e->subs[i].fn(e->subs[i].arg, sm);
	p->world->session->engine->defers = false;
}

void perf_make(const struct perf *p, uint32_t tracepoint, const struct perf_sample *sm)
{
	for (const struct kevent *e = p->events; e; e = e->next) {
		if (e->want.type != PERF_TYPE_TRACEPOINT || e->want.config != tracepoint)
			continue;
		if (e->logged)
			log_made(p, e, sm);
		perf_tell(p, e, sm);
	}
}

/* ---- the other records ---- */

void perf_lost(struct perf *p, unsigned cpu, uint64_t n, uint64_t time_ns)
{
	p->nlost += n;
	session_lose_events(p->world->session, cpu, n);
	if (p->on_lost)
		p->on_lost(p->on_lost_arg, cpu, n, time_ns);
}

/* Of the thread that a record names. */
static struct perf_sample place_of(const struct perf_record *r, unsigned cpu)
{
	return (struct perf_sample){
		.pid = r->pid, .tid = r->tid, .cpu = (int)cpu, .time_ns = r->time_ns};
}

static void take_mapping(struct perf *p, unsigned cpu, const struct perf_record *r)
{
	const struct perf_mapping map = {
		.at = place_of(r, cpu),
		.path = r->mapping.path,
		.start = r->mapping.start,
		.end = r->mapping.end,
		.file_off = r->mapping.file_off,
		.dev_major = r->mapping.dev_major,
		.dev_minor = r->mapping.dev_minor,
		.flags = r->mapping_flags,
	};

	procspace_mapped(p->spaces, r->pid, &r->mapping);
	for (unsigned i = 0; i < p->non_mapping && map.path[0] == '/' && !p->is_past; i++)
		p->on_mapping[i].fn(p->on_mapping[i].arg, &map);
}

void perf_on_process(struct perf *p, perf_task_fn *fn, void *arg)
{
	p->on_process = fn;
	p->on_process_arg = arg;
}

static void tell_task(struct perf *p, unsigned cpu, const struct perf_record *r, int what)
{
	struct perf_task t = {.what = what, .at = place_of(r, cpu)};

	if (what == TASK_NEW) {
		t.parent_pid = r->parent.pid;
		t.parent_tid = r->parent.tid;
	}
	if (p->is_past)
		return;
	if (p->on_process)
		p->on_process(p->on_process_arg, &t);
	if (p->on_task && (p->is_system || proctab_is_followed(p->procs, t.at.pid)))
		p->on_task(p->on_task_arg, &t);
}

static void take_comm(struct perf *p, unsigned cpu, const struct perf_record *r)
{
	proctab_comm(p->procs, r->pid, r->tid, r->comm.name, r->comm.is_exec);
	if (!r->comm.is_exec)
		return;
	procspace_execed(p->spaces, r->pid, r->time_ns);
	perf_thread_ended(p, r->pid);
	tell_task(p, cpu, r, TASK_EXEC);
}

static void take_fork(struct perf *p, unsigned cpu, const struct perf_record *r)
{
	if (p->is_past) {
		if (r->pid == r->tid)
			proctab_parent_was(p->procs, r->pid, r->parent.pid);
		return;
	}
	proctab_fork(p->procs, r->pid, r->parent.pid, r->tid, r->parent.tid);
	if (r->pid != r->parent.pid && p->wants_names)
		procspace_forked(p->spaces, r->pid, r->parent.pid, r->time_ns);
	tell_task(p, cpu, r, TASK_NEW);
}

static void tell_switch(struct perf *p, const struct perf_switch *s)
{
	if (p->on_switch && (p->is_system || proctab_is_followed(p->procs, s->at.pid)))
		p->on_switch(p->on_switch_arg, s);
}

static void take_exit(struct perf *p, unsigned cpu, const struct perf_record *r)
{
	const struct perf_switch last = {.at = place_of(r, cpu), .is_out = true, .is_dead = true};

	if (r->pid == r->tid && r->parent.pid)
		proctab_parent_is(p->procs, r->pid, r->parent.pid);
	tell_task(p, cpu, r, TASK_EXIT);
	if (!p->is_system)
		tell_switch(p, &last);
	proctab_exit(p->procs, r->pid, r->tid);
	perf_thread_ended(p, r->tid);
	if (r->pid == r->tid)
		procspace_forget(p->spaces, r->pid, r->time_ns);
}

static void take_switch(struct perf *p, unsigned cpu, const struct perf_record *r)
{
	const struct perf_switch s = {
		.at = place_of(r, cpu), .is_out = r->sw.is_out, .is_preempted = r->sw.is_preempted};

	proctab_switch(p->procs, r->tid, r->sw.is_out, r->time_ns);
	tell_switch(p, &s);
}

void perf_take_side(struct perf *p, unsigned cpu, const struct perf_record *r)
{
	if (p->on_side) {
		const struct perf_sample at = place_of(r, cpu);

		p->on_side(p->on_side_arg, r->type, &at);
	}
	switch (r->type) {
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		perf_lost(p, cpu, r->lost, r->time_ns);
		return;
	case PERF_RECORD_COMM:
		take_comm(p, cpu, r);
		return;
	case PERF_RECORD_FORK:
		take_fork(p, cpu, r);
		return;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		take_switch(p, cpu, r);
		return;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		take_mapping(p, cpu, r);
		return;
	case PERF_RECORD_EXIT:
		take_exit(p, cpu, r);
		return;
	default: /* THROTTLE and the like change nothing here */
		return;
	}
}

/* To an event of mappings the kernel tells of processes as well (perf_event_task_match()), which
 * the leaders tell of. */
static bool is_told_twice(const struct perf *p, const struct perf_record *r)
{
	return (r->type == PERF_RECORD_FORK || r->type == PERF_RECORD_EXIT) && p->is_system &&
	       hash_get(&p->by_id, r->id);
}

static void take_record(struct perf *p, unsigned cpu, const struct perf_event_header *h)
{
	struct perf_record r;

	if (!perf_decode_record(h, &prefix, &r))
		return;
	if (p->world->log) /* clauses see what they will of the file */
		proctab_know_thread(p->procs, r.pid, r.tid);
	if (r.type == PERF_RECORD_SAMPLE) {
		take_sample(p, cpu, h, &r);
		return;
	}
	if (is_told_twice(p, &r))
		return;
	if (p->world->log)
		perfwrite_add(p->world->log, h, 0);
	perf_take_side(p, cpu, &r);
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
	unsigned n;

	procspaces_as_of(p->spaces, ev->target);
	n = userstack_walk(p->userstacks, ev->pid, ev->user, pcs, max);
	procspaces_as_of(p->spaces, NULL);
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

void perf_keep_past(struct perf *p, void (*fn)(void *arg), void *arg)
{
	procspaces_keep(p->spaces, fn, arg);
}

void perf_go_back(struct perf *p, pid_t pid, uint64_t time_ns)
{
	procspaces_go_back(p->spaces, pid, time_ns);
}

void perf_event_user(struct event *ev, const struct userstack *user)
{
	ev->regs = user->has_regs ? &user->regs : NULL;
	ev->user = user;
	ev->walk = walk;
}

static taddr_t first_user_pc(const struct userstack *user)
{
	if (!user)
		return 0;
	return user->has_regs ? user->regs.r.rip : user->nchain ? user->chain[0] : 0;
}

void perf_event_init(struct perf *p, struct event *ev, const struct perf_sample *sm)
{
	*ev = (struct event){
		.target = procspace_of_code(p->spaces, sm->pid, first_user_pc(sm->user)),
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
