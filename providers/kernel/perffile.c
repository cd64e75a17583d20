/*
 * perffile.c: the events of perf.h as a file has them (providers/perfdata): what providers want is
 * found among its events by type and number, and its records take the way of those of the rings.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "base/strbuf.h"
#include "providers/kernel/perf_priv.h"
#include "providers/world/kernsyms.h"
#include "providers/kernel/perfdecode.h"
#include "providers/rewrite/recrewrite.h"
#include "providers/perfdata/perfdata.h"

/* ---- whose records they are ---- */

/* Samples of a clock, whatever their rate: what the machine had that recorded them. */
static bool is_clock(const struct perf_event_attr *a)
{
	if (a->type == PERF_TYPE_SOFTWARE)
		return a->config == PERF_COUNT_SW_CPU_CLOCK ||
		       a->config == PERF_COUNT_SW_TASK_CLOCK;
	return a->type == PERF_TYPE_HARDWARE && a->config == PERF_COUNT_HW_CPU_CYCLES;
}

static bool is_cpu_clock(uint32_t type, uint64_t config)
{
	return type == PERF_TYPE_SOFTWARE && config == PERF_COUNT_SW_CPU_CLOCK;
}

/* Of that rate; one tells what its own probe is about where several have been recorded. */
static bool is_same_clock(const struct perf_event_attr *a, const struct perf_want *w)
{
	return is_cpu_clock(a->type, a->config) && !a->freq && a->sample_period == w->period;
}

static bool has_same_clock(const struct perfdata *d, const struct perf_want *w)
{
	for (unsigned i = 0; i < perfdata_nevents(d); i++)
		if (is_same_clock(&perfdata_event(d, i)->attr, w))
			return true;
	return false;
}

static bool is_of(const struct perfdata *d, const struct perf_event_attr *a,
		  const struct perf_want *w)
{
	if (is_cpu_clock(w->type, w->config))
		return has_same_clock(d, w) ? is_same_clock(a, w) : is_clock(a);
	return a->type == w->type && a->config == w->config;
}

static bool is_dummy(const struct perf_want *w)
{
	return w->type == PERF_TYPE_SOFTWARE && w->config == PERF_COUNT_SW_DUMMY;
}

bool perf_recorded(const struct world *w, uint32_t type, uint64_t config)
{
	const struct perf_want want = {.type = type, .config = config};
	const struct perfdata *d = w->recording;

	for (unsigned i = 0; i < perfdata_nevents(d); i++)
		if (is_of(d, &perfdata_event(d, i)->attr, &want))
			return true;
	return false;
}

uint64_t perf_recorded_rate(const struct world *w, uint64_t period_ns)
{
	const struct perf_want want = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .period = period_ns};
	const struct perf_event_attr *a = NULL;

	for (unsigned i = 0; !a && i < perfdata_nevents(w->recording); i++)
		if (is_of(w->recording, &perfdata_event(w->recording, i)->attr, &want))
			a = &perfdata_event(w->recording, i)->attr;
	if (!a || is_same_clock(a, &want))
		return 0;
	if (a->freq)
		return a->sample_freq;
	/* that of cycles is no time */
	return a->type == PERF_TYPE_SOFTWARE && a->sample_period ? 1000000000U / a->sample_period
								 : 0;
}

bool perf_file_has(const struct perf *p, const struct perf_want *w)
{
	return perf_recorded(p->world, w->type, w->config) || is_dummy(w);
}

/* Tracepoints are recorded, and what tells of their fields is not there. */
static bool lacks_formats(struct perfdata *d)
{
	bool has_tracepoints = false;
	size_t size;

	for (unsigned i = 0; i < perfdata_nparts(d); i++)
		if (perfdata_feature(perfdata_part(d, i), PERFDATA_F_TRACING_DATA, &size))
			return false;
	for (unsigned i = 0; i < perfdata_nevents(d); i++)
		has_tracepoints |= perfdata_event(d, i)->attr.type == PERF_TYPE_TRACEPOINT;
	return has_tracepoints;
}

int perf_lacks(const struct world *w, const char *system, const char *name, struct err *err)
{
	if (!w->recording)
		return err_set(err, -ENOENT, "the kernel has no tracepoint %s:%s", system, name);
	if (lacks_formats(w->recording))
		return err_set(
			err, -ENOENT,
			"%s does not have the formats of its tracepoints (%s:%s may be one): "
			"perf record writes them at the end, and that is cut off or damaged",
			perfdata_path(w->recording), system, name);
	return err_set(err, -ENOENT, "event %s:%s is not recorded in %s (perf record -e %s:%s)",
		       system, name, perfdata_path(w->recording), system, name);
}

int perf_lacks_all(const struct world *w, const char *names, struct err *err)
{
	if (!names)
		return err_set(err, -ENOTSUP, "no event that perf can record tells of it");
	if (!w->recording)
		return err_set(err, -ENOENT, "this kernel does not have what it needs (%s)", names);
	return err_set(err, -ENOENT, "what it needs is not recorded in %s (perf record -e %s)",
		       perfdata_path(w->recording), names);
}

int perf_check_calls(const struct world *w, const char *raw, struct err *err)
{
	const char *foreign = w->recording ? perfdata_foreign(w->recording) : NULL;

	if (!foreign)
		return 0;
	return err_set(err, -ENOTSUP,
		       "%s was recorded on %s, where system calls have other numbers: "
		       "linux-raw_syscalls:::%s has these, perf record -e 'syscalls:*' has names",
		       perfdata_path(w->recording), foreign, raw);
}

int perf_file_miss(const struct perf *p, const struct perf_want *w, struct err *err)
{
	const bool is_profile = is_cpu_clock(w->type, w->config);

	if (w->format)
		return perf_lacks(p->world, w->format->system, w->format->name, err);
	return err_set(err, -ENOENT, "what it needs is not recorded in %s%s",
		       perfdata_path(p->world->recording),
		       is_profile ? " (perf record -e cpu-clock)" : "");
}

/* CPUs have numbers below this. */
#define MAX_CPUS 1024

unsigned perf_file_ncpus(const struct perf *p)
{
	size_t size;
	const char *cpus = perfdata_feature(p->world->recording, PERFDATA_F_NRCPUS, &size);
	uint32_t n = 0;

	if (cpus && size >= sizeof(n))
		memcpy(&n, cpus, sizeof(n));
	return n && n <= MAX_CPUS ? n : MAX_CPUS;
}

/* ---- formats ---- */

static void add_format(void *arg, const char *system, const char *text)
{
	strbuf_addf(arg, "system: %s\n%s\n", system, text);
}

struct tracefs *perf_file_formats(const struct perfdata *d)
{
	struct strbuf list;
	struct err err;
	char *text;

	strbuf_init(&list);
	perfdata_each_format(d, add_format, &list, &err);
	text = strbuf_detach(&list);
	strbuf_release(&list);
	return tracefs_of_list(text, perfdata_path(d));
}

/* ---- records ---- */

/* Who wants an event of the file, as of so many wants. */
struct listeners {
	unsigned nevents, n;
	struct kevent *v[];
};

static const struct listeners *listeners_of(const struct perf *p, struct perfdata_event *of)
{
	struct listeners *l = of->arg;

	if (l && l->nevents == p->nevents)
		return l;
	/* somebody is new: perhaps to what nobody has asked for before */
	for (unsigned i = 0; i < perfdata_nevents(p->world->recording); i++)
		perfdata_event(p->world->recording, i)->is_unasked = false;
	of->arg = l = xrealloc(l, sizeof(*l) + p->nevents * sizeof(struct kevent *));
	l->nevents = p->nevents;
	l->n = 0;
	for (struct kevent *e = p->events; e; e = e->next)
		if (is_of(p->world->recording, &of->attr, &e->want))
			l->v[l->n++] = e;
	return l;
}

void perf_file_free(struct perf *p)
{
	for (unsigned i = 0; i < perfdata_nevents(p->world->recording); i++)
		free(perfdata_event(p->world->recording, i)->arg);
}

/* Counts it as read. Does somebody want more than to count it? */
static bool is_asked(const struct listeners *l)
{
	bool asked = false;

	for (unsigned i = 0; i < l->n; i++) {
		l->v[i]->nread++;
		asked |= perf_tell_counts(l->v[i]);
	}
	return asked;
}

static void tell_all(const struct perf *p, const struct listeners *l, const struct perf_sample *sm)
{
	for (unsigned i = 0; i < l->n; i++)
		perf_tell(p, l->v[i], sm);
}

static void take_member(void *arg, struct perfdata_event *e, const struct perf_sample *sm)
{
	const struct perf *p = arg;
	const struct listeners *l = listeners_of(p, e);

	if (is_asked(l))
		tell_all(p, l, sm);
}

/* Registers of another processor: nothing here knows which is which. */
static void drop_foreign_regs(struct perf *p)
{
	struct session *s = p->world->session;

	if (!p->user.has_regs || !perfdata_foreign(p->world->recording))
		return;
	p->user.has_regs = false;
	if (!p->tells_foreign)
		session_message(s, MSG_ERR, false,
				"%s was recorded on %s: its registers are not read, and stacks of "
				"--call-graph dwarf are not walked",
				perfdata_path(p->world->recording),
				perfdata_foreign(p->world->recording));
	p->tells_foreign = true;
}

static void take_sample(struct perf *p, const struct perfdata_record *r)
{
	const struct listeners *l = listeners_of(p, r->event);
	bool has_members = groupread_has_members(r->event), asked;
	struct perf_sample sm;

	if (p->world->session->state != SESSION_ACTIVE)
		return; /* exit() has been called: no clause sees it */
	asked = is_asked(l);
	if (!asked && !has_members) {
		r->event->is_unasked = !l->n && !p->world->rewrite;
		return;
	}
	perf_decode(r->h, &r->event->layout, &sm, &p->user);
	drop_foreign_regs(p);
	if (!p->is_strange) /* else no symbol is known yet */
		perf_trim(p, &r->event->layout, &sm);
	sm.time_ns = r->time_ns; /* on the clock of all files */
	if (p->world->rewrite)
		recrewrite_sample(p->world->rewrite, (struct recrewrite_raw){&sm.raw, &sm.rawlen});
	if (sm.cpu < 0 || sm.cpu >= (int)p->ncpus)
		sm.cpu = 0;
	proctab_know_thread(p->procs, sm.pid, sm.tid);
	if (asked)
		tell_all(p, l, &sm);
	if (has_members)
		groupread_each(&p->groups, r, &sm, take_member, p);
}

#define KERNEL_PID    (-1)
#define KERNEL_PREFIX "[kernel.kallsyms]" /* then the symbol whose address file_off is */

#define KASLR_ALIGN (UINT64_C(1) << 21) /* CONFIG_PHYSICAL_ALIGN of x86-64 */

/* The names that were given (-x kallsyms) are moved to where the kernel was; not where they are of
 * another one. */
static void place_names(struct perf *p, const struct perfdata *d, const char *symbol, uint64_t addr)
{
	struct session *s = p->world->session;
	struct kallsyms *k = kallsyms_new(s->kernel_names);
	const uint64_t there = kallsyms_address(k, symbol), slide = addr - there;

	kallsyms_free(k);
	if (!addr)
		return; /* it was hidden */
	if (there && slide % KASLR_ALIGN == 0) {
		s->kernel_slide = slide;
		return;
	}
	session_message(
		s, MSG_ERR, false,
		"-x kallsyms: addresses of the kernel have no names: %s is at %llx in %s, and "
		"%s has it at %llx, of another kernel",
		symbol, (unsigned long long)there, s->kernel_names, perfdata_path(d),
		(unsigned long long)addr);
	p->is_strange = true;
	s->kernel_names = "";
}

/* Is the kernel that was recorded the one that runs, at the same addresses? Of several files all
 * must say so. */
static void find_kernel(struct perf *p, const struct perfdata *d, const struct perf_record *r)
{
	const struct procspace_map *m = &r->mapping;
	struct session *s = p->world->session;
	const char *release = perfdata_text(d, PERFDATA_F_OSRELEASE);
	const size_t n = strlen(KERNEL_PREFIX);
	struct utsname here;

	if (p->is_strange || strncmp(m->path, KERNEL_PREFIX, n) != 0 || !m->path[n])
		return;
	if (s->kernel_names && *s->kernel_names) {
		place_names(p, d, m->path + n, m->file_off);
		return;
	}
	uname(&here);
	if (release && strcmp(release, here.release) == 0 &&
	    perfdata_may_be_running(d, r->build_id, r->build_id_size) &&
	    kallsyms_address(world_ksyms(p->world), m->path + n) == m->file_off) {
		s->kernel_names = NULL;
		return;
	}
	p->is_strange = true;
	s->kernel_names = "";
	session_message(s, MSG_ERR, false,
			"%s: addresses of the kernel have no names: %s%s (-x kallsyms=FILE: its "
			"/proc/kallsyms or System.map)",
			perfdata_path(d),
			release ? "it was recorded on another one, "
				: "the file does not tell which one was recorded",
			release ? release : "");
}

#define NO_FILE	 "/memfd:" /* memory with a name: it is nowhere, and nobody looks for it */
#define TOLD_MAX 10	   /* a just-in-time compiler's images are thousands */

/* Once for a file. */
static void tell_nameless(struct perf *p, const char *path, struct perfdata_file *f)
{
	if (f->was_told || strncmp(path, NO_FILE, sizeof(NO_FILE) - 1) == 0)
		return;
	f->was_told = true;
	if (p->nnameless++ < TOLD_MAX)
		session_message(p->world->session, MSG_ERR, false,
				"%s: addresses have no names: %s%s", path, f->why,
				p->nnameless < TOLD_MAX ? "" : "; more files like it are not told");
}

/* The mapping is that of the file that is here, if it is the one that was recorded. */
static void find_file(struct perf *p, struct perfdata *d, struct perf_record *r)
{
	struct procspace_map *m = &r->mapping;
	struct perfdata_file *f;

	if (r->pid == KERNEL_PID) {
		find_kernel(p, d, r);
		return;
	}
	if (m->path[0] != '/' || m->path[1] == '/' || !p->wants_names)
		return;
	f = perfdata_file(d, m->path, r->build_id, r->build_id_size, m->ino);
	m->ino = f->why ? UINT64_MAX : f->ino; /* as that of no file */
	m->dev_major = f->dev_major;
	m->dev_minor = f->dev_minor;
	if (!f->why) {
		if (strcmp(f->path, m->path) != 0) /* it keeps its name */
			procspaces_lies(p->spaces, f->dev_major, f->dev_minor, f->ino, f->path);
	} else {
		tell_nameless(p, m->path, f);
	}
}

static void take_other(struct perf *p, const struct perfdata_record *r)
{
	struct perf_record other;

	if (!perf_decode_record(r->h, &r->event->layout, &other))
		return;
	other.time_ns = r->time_ns;
	proctab_know_thread(p->procs, other.pid, other.tid);
	if (other.type == PERF_RECORD_MMAP || other.type == PERF_RECORD_MMAP2) {
		if (!other.is_code && other.pid != KERNEL_PID) /* that one may say "---p" */
			return;
		find_file(p, r->file, &other);
	}
	if (other.type == PERF_RECORD_LOST_SAMPLES) { /* of a sum that LOST may have told of */
		p->nlost_samples += other.lost;
		if (p->nlost_samples <= p->nlost)
			return;
		other.lost = p->nlost_samples - p->nlost;
	}
	p->is_past = !r->time_ns; /* perf's account of what there was before */
	perf_take_side(p, (unsigned)other.cpu < p->ncpus ? (unsigned)other.cpu : 0, &other);
	p->is_past = false;
}

static void gather(void *arg UNUSED)
{
}

static uint64_t peek(void *arg)
{
	struct perf *p = arg;

	if (!perfdata_peek(p->world->recording, &p->next))
		return UINT64_MAX;
	/* the last of all numbers is that of no event */
	return p->next.time_ns ? MIN(p->next.time_ns, UINT64_MAX - 1)
			       : session_now(p->world->session);
}

static void take(struct perf *p, const struct perfdata_record *r)
{
	if (r->event && r->h->type == PERF_RECORD_SAMPLE)
		take_sample(p, r);
	else if (r->event && r->h->type < PERFDATA_HEADER_ATTR)
		take_other(p, r);
}

/* What peek() has seen. */
static void fire(void *arg)
{
	struct perf *p = arg;
	struct session *s = p->world->session;
	/* exit() has been called: that was the end of the copy, too */
	struct recrewrite *rw = s->state == SESSION_ACTIVE ? p->world->rewrite : NULL;
	const struct perfdata_record *r = &p->next;

	if (r->time_ns)
		session_set_clock(s, r->time_ns);
	if (rw)
		recrewrite_begin(rw, r);
	take(p, r);
	if (rw)
		recrewrite_end(rw, r);
	perfdata_skip(p->world->recording);
}

const struct event_source perf_file_source = {
	.gather = gather,
	.peek = peek,
	.fire = fire,
	.start = perf_start,
	.free = perf_free,
};
