#include "providers/kernel/perf_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "dlang/osinfo/osinfo.h"
#include "providers/kernel/execargs.h"
#include "providers/kernel/slowclose.h"
#include "providers/kernel/features.h"
#include "providers/kernel/perfidle.h"
#include "providers/world/userstack.h"
#include "tracer/procfs/procfs.h"
#include "tracer/janitor/watchdog.h"

#define RING_PAGES     512
#define LOG_RING_PAGES 4096 /* the disk may be slower than who writes to the ring */
#define USER_RING_PAGES                                                                            \
	128 /* kernel.perf_event_mlock_kb allows this much to all of a user's tools */

unsigned perf_flags(unsigned needs)
{
	return (needs & NEED_KSTACK ? PERF_KSTACK : 0) | (needs & NEED_USTACK ? PERF_USTACK : 0) |
	       (needs & (NEED_USTACK | NEED_USYM) ? PERF_NAMES : 0) |
	       (needs & NEED_REGS ? PERF_UREGS : 0) | (needs & NEED_VTIME ? PERF_SWITCHES : 0);
}

struct tracefs *world_tracefs(struct world *w)
{
	if (!w->tracefs)
		w->tracefs = w->recording ? perf_file_formats(w->recording) : tracefs_new();
	return w->tracefs;
}

/* ---- attributes ---- */

void perf_common_attr(struct perf_event_attr *a, uint32_t type, uint64_t config)
{
	*a = (struct perf_event_attr){
		.type = type,
		.size = sizeof(*a),
		.config = config,
		.sample_type = PERF_PREFIX,
		.read_format = PERF_FORMAT_LOST,
		.disabled = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
}

void perf_leader_attr(struct perf_event_attr *a)
{
	perf_common_attr(a, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	a->comm = a->comm_exec = a->task = 1;
	a->exclude_kernel = 1;
}

static int open_side_band(pid_t pid, int cpu, uint64_t *read_format)
{
	struct perf_event_attr a;
	int fd;

	perf_leader_attr(&a);
	fd = perf_open(&a, pid, cpu);
	*read_format = a.read_format; /* what the kernel has of it */
	return fd;
}

/* ---- rings ---- */

uint64_t kernel_ring_size(const struct session *s, uint64_t usual)
{
	const int64_t wanted = opt(&s->options, OPT_KERNELBUF);
	uint64_t size = 1;

	if (wanted == OPT_UNSET)
		return usual;
	while (size < (uint64_t)wanted)
		size *= 2;
	return size;
}

static unsigned usual_pages(const struct perf *p)
{
	if (!p->is_system)
		return USER_RING_PAGES;
	return p->world->log ? LOG_RING_PAGES : RING_PAGES;
}

/* They are not made smaller: mappings and processes are told there as well, by all of the machine.
 */
static int map_ring(const struct perf *p, struct perf_ring *ring, int fd)
{
	struct session *s = p->world->session;
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), usual = usual_pages(p) * page,
		       size = MAX(kernel_ring_size(s, usual), usual);
	int rc = perf_ring_init(ring, fd, (unsigned)(size / page));

	if (rc == 0 && ring->size < size && opt_on(&s->options, OPT_KERNELBUF))
		session_message(s, MSG_ERR, false,
				"kernelbuf: the kernel gives rings of %lu KB, not %lu KB "
				"(kernel.perf_event_mlock_kb, or root)",
				ring->size >> 10, size >> 10);
	return rc;
}

static int open_ring(struct perf *p, unsigned cpu, struct err *err)
{
	struct perf_cpu *c = &p->cpus[cpu];
	int rc;

	c->leader = open_side_band(p->is_system ? -1 : 0, (int)cpu, &c->read_format);
	if (c->leader == -ENODEV) {
		c->leader = -1;
		return 0;
	}
	if (c->leader < 0) {
		rc = c->leader;
		c->leader = -1;
		if (rc == -EACCES || rc == -EPERM)
			return err_set(err, rc,
				       "the kernel permits no perf events: needs CAP_PERFMON (or "
				       "root, or kernel.perf_event_paranoid <= 2)");
		return err_set(err, rc, "cannot open a ring of CPU %u: %s%s", cpu, strerror(-rc),
			       err_next_step(-rc));
	}
	rc = map_ring(p, &c->ring, c->leader);
	if (rc < 0)
		return err_set(err, rc,
			       "no memory for the ring of CPU %u: %s (kernel.perf_event_mlock_kb)",
			       cpu, strerror(-rc));
	return 0;
}

/* Many events need many descriptors. */
static void raise_file_limit(void)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) == 0 && rl.rlim_cur < rl.rlim_max) {
		rl.rlim_cur = rl.rlim_max;
		setrlimit(RLIMIT_NOFILE, &rl);
	}
}

static bool known_parent(const struct session *s, pid_t pid, pid_t *parent)
{
	return proctab_knows_parent(world_of(s)->perf->procs, pid, parent);
}

int world_perf(struct world *w, struct perf **out, struct err *err)
{
	struct perf *p = w->perf;
	int rc = 0;

	*out = p;
	if (p)
		return 0;
	p = xcalloc(1, sizeof(*p));
	p->world = w;
	p->events_tail = &p->events;
	p->is_system = w->recording || feature_works(world_features(w), FEATURE_PERF_SYSTEM);
	p->procs = proctab_new();
	if (!w->recording)
		proctab_ask_of_gone(p->procs, perf_parent_at_exit, p);
	w->session->engine->known_parent = known_parent;
	p->spaces = procspaces_new(w);
	p->userstacks = userstacks_new(p->spaces, w->log);
	/* nobody can look into a process later */
	p->copies_stacks = opt_on(&w->session->options, OPT_USTACKUNWIND) || w->log;
	hash_init(&p->by_id);
	groupread_init(&p->groups);
	hash_init(&p->owners);
	hash_init(&p->claimed);
	hash_init(&p->tracing_pcs);
	p->ncpus = w->recording ? perf_file_ncpus(p) : (unsigned)sysconf(_SC_NPROCESSORS_CONF);
	p->cpus = xcalloc(p->ncpus, sizeof(*p->cpus));
	p->times = xcalloc(p->ncpus, sizeof(*p->times));
	if (!w->recording)
		raise_file_limit();
	for (unsigned i = 0; i < p->ncpus; i++) {
		p->cpus[i].leader = -1;
		p->times[i] = UINT64_MAX;
	}
	for (unsigned i = 0; rc == 0 && !w->recording && i < p->ncpus; i++)
		rc = open_ring(p, i, err);
	if (rc < 0) {
		perf_free(p);
		return rc;
	}
	w->perf = *out = p;
	session_add_source(w->session, w->recording ? &perf_file_source : &perf_source, p);
	return 0;
}

static unsigned count_tracepoints(const struct perf *p)
{
	unsigned n = 0;

	for (const struct kevent *e = p->events; e; e = e->next)
		n += e->want.type == PERF_TYPE_TRACEPOINT && e->nfds;
	return n;
}

void perf_free(void *arg)
{
	struct perf *p = arg;
	struct kevent *e, *next;
	int held;

	if (p->world->perf == p)
		p->world->perf = NULL;
	held = slowclose_in_a_child(count_tracepoints(p) + perf_idle_nlinks(p->idle));
	if (p->world->recording)
		perf_file_free(p);
	for (e = p->events; e; e = next) {
		next = e->next;
		for (unsigned i = 0; i < e->nfds; i++)
			close(e->fds[i]);
		for (unsigned i = 0; i < e->nsibling_fds; i++)
			close(e->sibling_fds[i]);
		free(e->fds);
		free(e->sibling_fds);
		free(e->subs);
		free(e->filter);
		free(e->predicate);
		free(e);
	}
	for (unsigned i = 0; i < p->ncpus; i++) {
		perf_ring_release(&p->cpus[i].ring);
		if (p->cpus[i].leader >= 0)
			close(p->cpus[i].leader);
	}
	hash_release(&p->by_id);
	free(p->members.leaders);
	groupread_release(&p->groups);
	hash_release(&p->owners);
	hash_release(&p->claimed);
	proctab_free(p->procs);
	userstacks_free(p->userstacks);
	procspaces_free(p->spaces);
	perf_idle_free(p->idle);
	if (held >= 0)
		close(held);
	hash_release(&p->tracing_pcs);
	free(p->cpus);
	free(p->times);
	free(p);
}

/* ---- opening ---- */

/* The kernel takes one only, and keeps it. Caller frees; NULL: none. */
static char *whole_filter(const struct kevent *e)
{
	const char *const parts[] = {e->leaves_idle_out && e->want.type == PERF_TYPE_TRACEPOINT
					     ? "common_pid != 0"
					     : NULL,
				     e->filter, e->predicate};
	struct strbuf all;
	char *text;

	strbuf_init(&all);
	for (unsigned i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i])
			strbuf_addf(&all, "%s(%s)", all.len ? " && " : "", parts[i]);
	text = all.len ? strbuf_detach(&all) : NULL;
	strbuf_release(&all);
	return text;
}

static int try_filter(const struct kevent *e, struct err *err)
{
	char *text = whole_filter(e);
	int rc = 0;

	for (unsigned i = 0; text && i < e->nfds && rc == 0; i++)
		if (ioctl(e->fds[i], PERF_EVENT_IOC_SET_FILTER, text) < 0)
			rc = err_set(err, -errno, "the kernel refuses the filter \"%s\": %s", text,
				     strerror(errno));
	free(text);
	return rc;
}

/* What clauses ask for they ask again themselves, unless events are only counted. */
static int set_filter(const struct perf *p, struct kevent *e, struct err *err)
{
	struct err why = {0};

	if (!e->predicate || e->is_counter)
		return try_filter(e, err);
	if (try_filter(e, &why) == 0)
		return 0;
	if (p->world->is_verbose)
		session_message(p->world->session, MSG_ERR, true, "%s; clauses ask themselves",
				why.text);
	free(e->predicate);
	e->predicate = NULL;
	return try_filter(e, err);
}

/*
 * Some tracepoints make no records, for nobody: those that a record itself passes
 * (irq_vectors:irq_work_exit; perf_trace_event_perm() in the kernel). Said, they are no reason to
 * have none of the others that a pattern matches.
 */
static bool makes_no_records(struct perf *p, const struct kevent *e, int rc)
{
	const struct tpformat *f =
		e->want.type == PERF_TYPE_TRACEPOINT
			? tracefs_known(world_tracefs(p->world), (uint32_t)e->want.config)
			: NULL;

	if (!f || rc != -EPERM || !perf_sees_all(p))
		return false;
	session_message(p->world->session, MSG_ERR, false,
			"the kernel makes no records of %s:%s: %s; its probes never fire",
			f->system, f->name, strerror(-rc));
	return true;
}

int perf_open_event(struct perf *p, struct kevent *e, struct err *err)
{
	int rc;

	e->leaves_idle_out = !e->want.nsiblings && perf_idle_samples(p, e);
	rc = perf_open_everywhere(p, e, err);
	if (rc < 0)
		return makes_no_records(p, e, rc) ? 0 : rc;
	if (!e->want.nsiblings) /* a program reads no counters */
		perf_idle_join(p, e);
	return set_filter(p, e, err);
}

static void enable(const struct kevent *e, unsigned long request)
{
	for (unsigned i = 0; i < e->nfds; i++)
		ioctl(e->fds[i], request, 0);
}

static void enable_all(const struct perf *p, unsigned long request)
{
	perf_enable_leaders(p, request);
	for (const struct kevent *e = p->events; e; e = e->next)
		enable(e, request);
}

/* ---- wants ---- */

/*
 * Of several events of one kind that happens in a thread (a fault, a switch) the kernel writes
 * records which all have the number of the first one (6.18, perf_prepare_sample: what is filled in
 * stays for the next event). So there is one; who wants the targets alone is told of those alone.
 */
static bool is_one_for_all(const struct perf_want *w)
{
	const uint64_t kinds =
		1U << PERF_COUNT_SW_PAGE_FAULTS | 1U << PERF_COUNT_SW_PAGE_FAULTS_MIN |
		1U << PERF_COUNT_SW_PAGE_FAULTS_MAJ | 1U << PERF_COUNT_SW_CONTEXT_SWITCHES |
		1U << PERF_COUNT_SW_CPU_MIGRATIONS;

	return w->type == PERF_TYPE_SOFTWARE && w->config < 64 && kinds >> w->config & 1;
}

static bool is_same(const struct kevent *e, const struct perf_want *w)
{
	const unsigned modes = PERF_USER_ONLY | PERF_KERNEL_ONLY;

	return e->want.type == w->type && e->want.config == w->config &&
	       e->want.period == w->period && (e->want.scope == w->scope || is_one_for_all(w)) &&
	       e->want.only_cpu == w->only_cpu && !e->want.nsiblings && !w->nsiblings &&
	       (e->want.flags & modes) == (w->flags & modes);
}

static bool is_listening(const struct kevent *e, const struct perf_want *w)
{
	for (unsigned i = 0; i < e->nsubs; i++)
		if (e->subs[i].fn == w->fn && e->subs[i].arg == w->arg)
			return true;
	return false;
}

/* Of two that are asked for; takes the first. */
static char *either(char *a, const char *b)
{
	char *text = NULL;

	if (a && b && strcmp(a, b) == 0)
		return a;
	if (a && b && strlen(a) + strlen(b) < PERF_PREDICATE_MAX)
		text = xasprintf("(%s) || (%s)", a, b);
	free(a);
	return text;
}

static void add_sub(struct kevent *e, const struct perf_want *w)
{
	if (!is_listening(e, w)) {
		e->subs = xrealloc(e->subs, (e->nsubs + 1) * sizeof(*e->subs));
		e->subs[e->nsubs].scope = w->scope;
		e->subs[e->nsubs].fn = w->fn;
		e->subs[e->nsubs].count = w->count;
		e->subs[e->nsubs++].arg = w->arg;
	}
	e->want.flags |= w->flags;
	e->want.scope = MIN(e->want.scope, w->scope); /* the wider one */
	if (!e->want.format)
		e->want.format = w->format;
	if (e->filter && (!w->filter || strcmp(e->filter, w->filter) != 0)) {
		free(e->filter);
		e->filter = NULL;
	}
	e->predicate = either(e->predicate, w->predicate);
}

struct kevent *perf_new_event(struct perf *p, const struct perf_want *w)
{
	struct kevent *e = xcalloc(1, sizeof(*e));

	e->want = *w;
	e->filter = w->filter ? xstrdup(w->filter) : NULL;
	e->predicate = w->predicate ? xstrdup(w->predicate) : NULL;
	p->nevents++;
	*p->events_tail = e;
	p->events_tail = &e->next;
	return e;
}

/* Before the start nothing is opened. */
static int open_late(struct perf *p, struct kevent *e, struct err *err)
{
	int rc = p->is_started && !p->world->recording ? perf_open_event(p, e, err) : 0;

	if (rc == 0 && p->is_started)
		enable(e, PERF_EVENT_IOC_ENABLE);
	return rc;
}

void perf_on_mapping(struct perf *p, perf_map_fn *fn, void *arg)
{
	p->on_mapping[p->non_mapping].fn = fn;
	p->on_mapping[p->non_mapping++].arg = arg;
}

void perf_on_task(struct perf *p, perf_task_fn *fn, void *arg)
{
	p->on_task = fn;
	p->on_task_arg = arg;
}

void perf_on_switch(struct perf *p, perf_switch_fn *fn, void *arg)
{
	p->on_switch = fn;
	p->on_switch_arg = arg;
}

void perf_on_lost(struct perf *p, perf_lost_fn *fn, void *arg)
{
	p->on_lost = fn;
	p->on_lost_arg = arg;
}

void perf_on_side_band(struct perf *p, perf_side_fn *fn, void *arg)
{
	p->on_side = fn;
	p->on_side_arg = arg;
}

uint64_t perf_vtime(struct perf *p, pid_t tid, uint64_t time_ns)
{
	return p->wants_switches ? proctab_vtime(p->procs, tid, time_ns) : 0;
}

bool perf_sees_all(const struct perf *p)
{
	return p->is_system;
}

unsigned perf_ncpus(const struct perf *p)
{
	return p->ncpus;
}

static void note_flags(struct perf *p, unsigned flags)
{
	p->wants_names |= (flags & PERF_NAMES) != 0;
	p->wants_switches |= !p->is_started && flags & PERF_SWITCHES; /* want_side_band() */
}

void perf_note_needs(struct perf *p, unsigned needs)
{
	note_flags(p, perf_flags(needs));
	if (needs & NEED_TEXTS)
		execargs_want(p->world);
}

int perf_add(struct perf *p, const struct perf_want *w, struct err *err)
{
	struct kevent *e = p->events;

	if (p->world->recording && !perf_file_has(p, w))
		return perf_file_miss(p, w, err);
	/* what has been opened keeps its flags: a late want gets an event of its own */
	while (e && (!is_same(e, w) || e->nfds || e->is_counter))
		e = e->next;
	if (!e)
		e = perf_new_event(p, w);
	add_sub(e, w);
	note_flags(p, w->flags);
	perf_idle_prepare(p, w);
	return open_late(p, e, err);
}

int perf_count(struct perf *p, const struct perf_want *w, const struct perf_counter **out,
	       struct err *err)
{
	struct kevent *e = perf_new_event(p, w);

	e->is_counter = true;
	*out = (const struct perf_counter *)e;
	return open_late(p, e, err);
}

uint64_t perf_counted(const struct perf_counter *c)
{
	const struct kevent *e = (const struct kevent *)c;
	uint64_t values[2], sum = 0;

	for (unsigned i = 0; i < e->nfds; i++)
		if (read(e->fds[i], values, sizeof(values)) >= (ssize_t)sizeof(values[0]))
			sum += values[0];
	return sum;
}

void perf_times(const struct perf *p, perf_fn *fn, const void *arg, uint64_t *enabled_ns,
		uint64_t *running_ns)
{
	const struct perf_want who = {.fn = fn, .arg = (void *)(uintptr_t)arg};
	struct perf_reading r;

	*enabled_ns = *running_ns = 0;
	for (const struct kevent *e = p->events; e; e = e->next)
		for (unsigned i = 0; i < e->nfds && is_listening(e, &who); i++) {
			perf_read_event(e->fds[i], e->layout.read_format, e->group_at, &r);
			*enabled_ns += r.enabled_ns;
			*running_ns += r.running_ns;
		}
}

uint64_t perf_nread(const struct perf *p)
{
	uint64_t n = 0;

	for (const struct kevent *e = p->events; e; e = e->next)
		n += e->nread;
	return n;
}

struct proctab *perf_procs(struct perf *p)
{
	return p->procs;
}

char *perf_filter_own(const struct perf *p, const char *text)
{
	const struct session *s = p->world->session;

	if (!procfs_in_root_pidns()) /* the kernel calls us otherwise */
		return text ? xstrdup(text) : NULL;
	return xasprintf("common_pid != %d && common_pid != %d%s%s%s", s->engine_pid,
			 s->watchdog ? s->watchdog->pid : -1, text ? " && (" : "", text ? text : "",
			 text ? ")" : "");
}

bool perf_is_own(const struct perf *p, pid_t pid)
{
	const struct session *s = p->world->session;

	if (p->world->recording)
		return false;
	return pid == s->engine_pid || (s->watchdog && pid == s->watchdog->pid);
}

int perf_may(struct perf *p, const struct probe *pr, enum perf_scope scope, struct err *err)
{
	if (p->is_system || (scope == PERF_TARGETS && p->world->nprocs))
		return 0;
	return perf_refuse(pr, err);
}

int perf_refuse(const struct probe *pr, struct err *err)
{
	return err_set(err, -EACCES,
		       "probe description %s:%s:%s:%s: needs CAP_PERFMON (or root, or "
		       "kernel.perf_event_paranoid <= -1)",
		       pr->prov, pr->mod, pr->func, pr->name);
}

/* ---- start and stop ---- */

static bool has_attached(const struct world *w)
{
	for (unsigned i = 0; i < w->nprocs; i++)
		if (w->procs[i].proc && w->procs[i].origin != PROC_COMMAND)
			return true;
	return false;
}

static void follow_target(struct perf *p, pid_t pid)
{
	proctab_follow(p->procs, pid);
	if (p->wants_names)
		procspace_know(p->spaces, pid, session_now(p->world->session));
}

static void seed_vtime(struct thread *t, void *arg)
{
	struct perf *p = arg;
	pid_t tid = thread_tid(t);

	proctab_seed_vtime(p->procs, tid, osinfo_cputime(tid, tid), session_now(p->world->session));
}

static void follow_targets(struct perf *p)
{
	const struct world *w = p->world;

	/* threads that come while we look at those of a running process are not missed this way */
	p->filters_pids = p->is_system && has_attached(w);
	for (unsigned i = 0; i < w->nprocs; i++)
		if (world_proc_pid(&w->procs[i]))
			follow_target(p, world_proc_pid(&w->procs[i]));
	for (unsigned i = 0; p->wants_switches && i < w->nprocs; i++)
		if (w->procs[i].proc)
			proc_each_thread(w->procs[i].proc, seed_vtime, p);
}

/* What tells of processes and mappings besides the rings' own events, which see the whole machine
 * or nothing. */
static int want_side_band(struct perf *p, struct err *err)
{
	const struct perf_want want = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.scope = p->is_system ? PERF_SYSTEM : PERF_TARGETS,
		.flags = (p->is_system ? 0 : PERF_TASKS | PERF_USER_ONLY) |
			 (p->wants_names || p->non_mapping || p->world->log ? PERF_MAPS : 0) |
			 (p->wants_switches || p->on_switch ? PERF_SWITCHES : 0),
	};

	if (!want.flags || (!p->is_system && !p->world->nprocs))
		return 0;
	return perf_add(p, &want, err);
}

int perf_start(void *arg, struct err *err)
{
	struct perf *p = arg;
	int rc = 0;

	p->is_started = p->world->recording;
	if (p->world->recording)
		return 0;
	proctab_seed(p->procs);
	follow_targets(p);
	rc = want_side_band(p, err);
	for (struct kevent *e = p->events; e && rc == 0; e = e->next)
		if (!e->nfds)
			rc = perf_open_event(p, e, err);
	if (rc < 0)
		return rc;
	if (p->world->log)
		perf_log_start(p);
	p->is_started = true;
	enable_all(p, PERF_EVENT_IOC_ENABLE);
	return 0;
}

void perf_stop(void *arg)
{
	struct perf *p = arg;

	if (!p->is_started)
		return;
	enable_all(p, PERF_EVENT_IOC_DISABLE);
	session_flush_sources(p->world->session);
	perf_count_losses(p);
	p->is_started = false;
}
