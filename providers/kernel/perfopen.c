/*
 * perfopen.c: events of the kernel, for CPUs or for the threads of the targets and what those make.
 */
#include "providers/kernel/perf_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/procfile.h"
#include "base/strbuf.h"
#include "providers/world/kernsyms.h"
#include "providers/kernel/features.h"
#include "providers/kernel/perfdecode.h"

static void event_attr(const struct perf *p, struct kevent *e, struct perf_event_attr *a)
{
	const struct perf_want *w = &e->want;

	perf_common_attr(a, w->type, w->config);
	if (w->flags & PERF_ADDR)
		a->sample_type |= PERF_SAMPLE_ADDR;
	if (w->nsiblings) {
		a->sample_type |= PERF_SAMPLE_READ;
		a->read_format |= PERF_FORMAT_GROUP;
	}
	if (!e->is_counter)
		a->read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (w->flags & (PERF_KSTACK | PERF_USTACK))
		a->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (w->flags & PERF_RAW)
		a->sample_type |= PERF_SAMPLE_RAW;
	if (w->flags & (PERF_USTACK | PERF_UREGS)) {
		a->sample_type |= PERF_SAMPLE_REGS_USER;
		a->sample_regs_user = USERSTACK_REGS;
	}
	if (w->flags & PERF_USTACK && p->copies_stacks) {
		a->sample_type |= PERF_SAMPLE_STACK_USER;
		a->sample_stack_user = USERSTACK_BYTES;
	}
	/* else an event with a weight (sched_stat_runtime: nanoseconds) is as many records */
	if (w->type == PERF_TYPE_TRACEPOINT)
		a->sample_type |= PERF_SAMPLE_PERIOD;
	a->exclude_callchain_kernel = !(w->flags & PERF_KSTACK);
	a->exclude_callchain_user = !(w->flags & PERF_USTACK);
	a->sample_period = e->is_counter ? 0 : w->period ? w->period : 1;
	if (!p->is_system || w->flags & PERF_USER_ONLY)
		a->exclude_kernel = a->exclude_callchain_kernel = 1;
	a->exclude_user = (w->flags & PERF_KERNEL_ONLY) != 0;
	a->comm = a->comm_exec = a->task = (w->flags & PERF_TASKS) != 0;
	a->mmap = a->mmap2 = (w->flags & PERF_MAPS) != 0;
	a->context_switch = w->config == PERF_COUNT_SW_DUMMY && w->flags & PERF_SWITCHES;
	a->exclude_hv = 1;
	a->exclude_idle = e->leaves_idle_out;
}

/* ---- the file of -E ---- */

/* As perf calls it. */
static void log_name(const struct kevent *e, const struct tpformat *fmt, char *name, size_t size)
{
	const struct perf_want *w = &e->want;

	if (fmt)
		snprintf(name, size, "%s:%s", fmt->system, fmt->name);
	else if (w->type == PERF_TYPE_SOFTWARE && w->config == PERF_COUNT_SW_CPU_CLOCK)
		snprintf(name, size, "cpu-clock");
	else if (w->type == PERF_TYPE_SOFTWARE && w->config == PERF_COUNT_SW_DUMMY)
		snprintf(name, size, "dummy");
	else if (w->type == PERF_TYPE_SOFTWARE && w->config == PERF_COUNT_SW_PAGE_FAULTS_MIN)
		snprintf(name, size, "minor-faults");
	else if (w->type == PERF_TYPE_SOFTWARE && w->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ)
		snprintf(name, size, "major-faults");
	else
		snprintf(name, size, "%u:%llx", w->type, (unsigned long long)w->config);
}

/* What a program in the kernel writes becomes a record of the event that it is about; counters that
 * are read with an event are told by who listens (struct event_log): perf takes no file in which
 * some records have them. */
static bool is_to_log(const struct perf *p, const struct kevent *e)
{
	return p->world->log && !e->is_counter && !e->logged && !e->want.nsiblings &&
	       !(e->want.type == PERF_TYPE_SOFTWARE && e->want.config == PERF_COUNT_SW_BPF_OUTPUT);
}

static void log_event(struct perf *p, struct kevent *e, const struct perf_event_attr *a)
{
	struct tracefs *t = world_tracefs(p->world);
	const struct tpformat *fmt = e->want.type == PERF_TYPE_TRACEPOINT
					     ? tracefs_known(t, (uint32_t)e->want.config)
					     : NULL;
	char name[256], *text;

	log_name(e, fmt, name, sizeof(name));
	e->logged = perfwrite_event(p->world->log, a, name) + 1;
	text = fmt ? tracefs_text(t, fmt->system, fmt->name) : NULL;
	if (text)
		perfwrite_format(p->world->log, fmt->system, text);
	free(text);
}

static void log_leaders(struct perf *p)
{
	struct perf_event_attr a;
	unsigned number;
	uint64_t id;

	perf_leader_attr(&a);
	number = perfwrite_event(p->world->log, &a, "dummy");
	for (unsigned i = 0; i < p->ncpus; i++)
		if (p->cpus[i].leader >= 0 && ioctl(p->cpus[i].leader, PERF_EVENT_IOC_ID, &id) == 0)
			perfwrite_id(p->world->log, number, id);
}

/* Texts that formats refer to. */
static void log_texts(struct perf *p)
{
	static const char *const files[][2] = {{"header_page", "events/header_page"},
					       {"header_event", "events/header_event"},
					       {"printk_formats", "printk_formats"}};

	for (unsigned i = 0; i < ARRAY_SIZE(files); i++) {
		FILE *f = tracefs_open(world_tracefs(p->world), files[i][1]);
		struct strbuf text;
		char line[512];

		strbuf_init(&text);
		while (f && fgets(line, sizeof(line), f))
			strbuf_adds(&text, line);
		perfwrite_text(p->world->log, files[i][0], text.s);
		strbuf_release(&text);
		if (f)
			fclose(f);
	}
}

void perf_enable_leaders(const struct perf *p, unsigned long request)
{
	for (unsigned i = 0; i < p->ncpus; i++)
		if (p->cpus[i].leader >= 0)
			ioctl(p->cpus[i].leader, request, 0);
}

void perf_log_start(struct perf *p)
{
	struct world *w = p->world;
	pid_t *targets = xcalloc(w->nprocs + 1, sizeof(*targets));
	struct perfwrite_start start = {
		.self = w->session->front_pid,
		.kernel_start = kallsyms_address(world_ksyms(w), "_text"),
		.kernel_end = kallsyms_address(world_ksyms(w), "_etext"),
		.targets = targets,
	};

	for (unsigned i = 0; i < w->nprocs; i++)
		if (world_proc_pid(&w->procs[i]))
			targets[start.ntargets++] = world_proc_pid(&w->procs[i]);
	log_leaders(p);
	log_texts(p);
	/* before what is there now is looked at: so nothing is missing */
	perf_enable_leaders(p, PERF_EVENT_IOC_ENABLE);
	for (const struct kevent *e = p->events; e; e = e->next)
		for (unsigned i = 0; e->want.config == PERF_COUNT_SW_DUMMY &&
				     e->want.type == PERF_TYPE_SOFTWARE && i < e->nfds;
		     i++)
			ioctl(e->fds[i], PERF_EVENT_IOC_ENABLE, 0);
	perfwrite_begin(w->log, &start);
	proctab_seed(p->procs); /* clauses see the names that the file has */
	free(targets);
}

/* ---- opening ---- */

/* owner: the thread that it was opened for; 0: none. */
static int keep_fd(struct perf *p, struct kevent *e, int fd, int cpu, pid_t owner, struct err *err)
{
	uint64_t id;

	e->fds = xrealloc(e->fds, (e->nfds + 1) * sizeof(*e->fds));
	e->fds[e->nfds++] = fd;
	if (e->is_counter)
		return 0;
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, p->cpus[cpu].leader) < 0 ||
	    ioctl(fd, PERF_EVENT_IOC_ID, &id) < 0)
		return err_set(err, -errno, "cannot join the ring of CPU %d: %s", cpu,
			       strerror(errno));
	hash_put(&p->by_id, id, e);
	if (e->logged) {
		perfwrite_id(p->world->log, e->logged - 1, id);
		e->log_id = id;
	}
	if (owner > 0)
		hash_put(&p->owners, id, (void *)(uintptr_t)owner);
	return 0;
}

/* ---- groups ---- */

static unsigned find_member(const struct perf_members *m, const struct perf_sibling *sib)
{
	unsigned i = 0;

	while (i < m->n && (m->of[i].type != sib->type || m->of[i].config != sib->config))
		i++;
	return i;
}

/* Those of the processor are few and must fit all at once: each event has a group for itself. */
static bool joins(const struct perf_members *m, const struct perf_want *w)
{
	for (unsigned i = 0; i < w->nsiblings; i++)
		if (w->siblings[i].type != PERF_TYPE_SOFTWARE)
			return false;
	return w->nsiblings && m->n + 1 + w->nsiblings <= PERF_MEMBERS_MAX;
}

/* Where the event and its counters will be. Returns those that are new, as bits. */
static unsigned place_members(struct perf *p, struct kevent *e, bool is_joined)
{
	struct perf_members alone = {.n = 0}, *m = is_joined ? &p->members : &alone;
	unsigned news = 0;

	e->group_at = m->n;
	m->of[m->n++] = (struct perf_sibling){e->want.type, e->want.config};
	for (unsigned i = 0; i < e->want.nsiblings; i++) {
		unsigned at = find_member(m, &e->want.siblings[i]);

		e->sibling_at[i] = (unsigned char)at;
		if (at < m->n)
			continue;
		m->of[m->n++] = e->want.siblings[i];
		news |= 1U << i;
	}
	return news;
}

static int open_siblings(struct kevent *e, unsigned news, int leader, int cpu, struct err *err)
{
	for (unsigned i = 0; i < e->want.nsiblings; i++) {
		const struct perf_sibling *sib = &e->want.siblings[i];
		struct perf_event_attr a;
		int fd;

		if (!(news & 1U << i))
			continue;
		perf_common_attr(&a, sib->type, sib->config);
		a.read_format = e->layout.read_format;
		a.disabled = 0; /* counts with the first of the group */
		fd = perf_open_in_group(&a, -1, cpu, leader);
		if (fd < 0)
			return err_set(err, fd, "cannot count on CPU %d: %s", cpu, strerror(-fd));
		e->sibling_fds =
			xrealloc(e->sibling_fds, (e->nsibling_fds + 1) * sizeof(*e->sibling_fds));
		e->sibling_fds[e->nsibling_fds++] = fd;
	}
	return 0;
}

/* The group's first event on a CPU; -1: there is none yet. */
static int *leader_of(struct perf *p, unsigned cpu)
{
	struct perf_members *m = &p->members;

	if (!m->leaders) {
		m->leaders = xcalloc(p->ncpus, sizeof(*m->leaders));
		for (unsigned i = 0; i < p->ncpus; i++)
			m->leaders[i] = -1;
	}
	return &m->leaders[cpu];
}

static int refuse_event(int rc, struct err *err)
{
	return err_set(err, rc, "cannot open an event of the kernel: %s%s", strerror(-rc),
		       rc == -EMFILE ? "; each needs one for every CPU: raise ulimit -n" : "");
}

/* On every CPU. A thread that has just ended is no error. */
static int open_for(struct perf *p, struct kevent *e, pid_t tid, struct err *err)
{
	const bool is_joined = joins(&p->members, &e->want);
	const unsigned news = place_members(p, e, is_joined);
	struct perf_event_attr a;
	int none = -1, rc = 0;

	event_attr(p, e, &a);
	a.inherit = tid > 0;
	for (unsigned cpu = 0; rc == 0 && cpu < p->ncpus; cpu++) {
		int fd, *leader;

		if (p->cpus[cpu].leader < 0 ||
		    (e->want.only_cpu && e->want.only_cpu != (int)cpu + 1))
			continue;
		leader = is_joined ? leader_of(p, cpu) : &none;
		fd = perf_open_in_group(&a, tid, (int)cpu, *leader);
		if (fd == -ESRCH)
			return 0;
		if (fd >= 0 && is_to_log(p, e))
			log_event(p, e, &a);
		rc = fd < 0 ? refuse_event(fd, err) : keep_fd(p, e, fd, (int)cpu, tid, err);
		if (rc == 0) {
			e->layout = perf_layout_of(&a); /* less, perhaps, than was asked for */
			if (is_joined && *leader < 0)
				*leader = fd;
			rc = open_siblings(e, news, is_joined ? *leader : fd, (int)cpu, err);
		}
	}
	return rc;
}

/*
 * A thread that is born in the meantime may have the event of who made it, or none, which nobody
 * can tell: it gets one of its own, and perf_is_double() sorts out what comes twice.
 */
static int open_for_process(struct perf *p, struct kevent *e, pid_t pid, struct err *err)
{
	bool is_news = true;
	struct hash opened;
	int rc = 0;

	hash_init(&opened);
	while (is_news && rc == 0) {
		struct procids tids;
		pid_t tid;

		is_news = false;
		procids_open(&tids, pid);
		while (rc == 0 && (tid = procids_next(&tids))) {
			if (hash_get(&opened, (uint64_t)tid))
				continue;
			hash_put(&opened, (uint64_t)tid, p);
			is_news = true;
			rc = open_for(p, e, tid, err);
		}
		procids_close(&tids);
	}
	hash_release(&opened);
	return rc;
}

int perf_open_everywhere(struct perf *p, struct kevent *e, struct err *err)
{
	const struct world *w = p->world;
	int rc = 0;

	/* CPUs are better witnesses of threads that live for less than a period */
	if (e->want.scope == PERF_SYSTEM || p->filters_pids || !w->nprocs)
		return open_for(p, e, -1, err);
	for (unsigned i = 0; i < w->nprocs && rc == 0; i++)
		if (world_proc_pid(&w->procs[i]))
			rc = open_for_process(p, e, world_proc_pid(&w->procs[i]), err);
	return rc;
}

bool perf_is_double(struct perf *p, uint64_t id, pid_t tid)
{
	void *owner = hash_get(&p->owners, id), *first;

	if (!owner)
		return false;
	first = hash_get(&p->claimed, (uint64_t)tid);
	if (!first)
		hash_put(&p->claimed, (uint64_t)tid, owner);
	return first && first != owner;
}

void perf_thread_ended(struct perf *p, pid_t tid)
{
	hash_del(&p->claimed, (uint64_t)tid);
}
