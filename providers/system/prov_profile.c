/*
 * prov_profile.c: tick-N (proftick.h), profile-N and sample-N by samples
 * (docs/spec/d-language.md §4.5, docs/spec/providers.md §4.10).
 *
 * With processes to trace profile-N samples them alone, else every CPU; sample-N samples every CPU
 * if that is allowed. Where perf events cannot be had, threads that are on a CPU are stopped for a
 * moment. Without processes and privileges profile-N is a timer that fires once for every CPU.
 */
#include <ctype.h>
#include <sched.h>
#include <strings.h>
#include <unistd.h>

#include "base/glob.h"
#include "providers/kernel/features.h"
#include "providers/kernel/perf.h"
#include "providers/system/profsample.h"
#include "providers/system/proftick.h"
#include "tracer/unwind/ustack.h"
#include "providers/providers.h"

#define NS_PER_SEC	1000000000ULL
#define MIN_INTERVAL_NS 200000ULL

static const struct unit {
	const char *name;
	uint64_t ns; /* 0: a rate per second */
} units[] = {
	/* clang-format off */
	{"", 0}, {"hz", 0},
	{"ns", 1}, {"nsec", 1},
	{"us", 1000}, {"usec", 1000},
	{"ms", 1000000}, {"msec", 1000000},
	{"s", NS_PER_SEC}, {"sec", NS_PER_SEC},
	{"m", 60 * NS_PER_SEC}, {"min", 60 * NS_PER_SEC},
	{"h", 3600 * NS_PER_SEC}, {"hour", 3600 * NS_PER_SEC},
	{"d", 86400 * NS_PER_SEC}, {"day", 86400 * NS_PER_SEC},
	/* clang-format on */
};

static const char *const standing[] = {
	"profile-97",	"profile-199",	"profile-499", "profile-997", "profile-1999",
	"profile-4001", "profile-4999", "tick-1",      "tick-10",     "tick-100",
	"tick-500",	"tick-1000",	"tick-5000",
};

static const struct unit *find_unit(const char *name)
{
	for (unsigned i = 0; i < ARRAY_SIZE(units); i++)
		if (strcasecmp(units[i].name, name) == 0)
			return &units[i];
	return NULL;
}

enum kind { KIND_TICK, KIND_PROFILE, KIND_SAMPLE };

static const char *const prefixes[] = {"tick-", "profile-", "sample-"};

/* "tick-10ms" → interval. False: the name is none of this provider. */
static bool parse_name(const char *name, enum kind *kind, uint64_t *interval_ns)
{
	const struct unit *unit;
	uint64_t n = 0;
	const char *p = NULL;

	for (unsigned i = 0; i < ARRAY_SIZE(prefixes) && !p; i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
			*kind = i;
			p = name + strlen(prefixes[i]);
		}
	if (!p)
		return false;
	if (!isdigit((unsigned char)*p))
		return false;
	for (; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(n, 10U, &n) ||
		    __builtin_add_overflow(n, (unsigned)(*p - '0'), &n))
			return false;
	unit = find_unit(p);
	if (!unit || n == 0)
		return false;
	if (unit->ns == 0)
		*interval_ns = NS_PER_SEC / n;
	else if (__builtin_mul_overflow(n, unit->ns, interval_ns) || *interval_ns > INT64_MAX)
		return false;
	return *interval_ns >= MIN_INTERVAL_NS;
}

static void create(struct session *s, const char *name)
{
	uint64_t interval_ns;
	enum kind kind;

	if (parse_name(name, &kind, &interval_ns))
		probe_create(s, &prov_profile, "profile", "", "", name, NULL);
}

static int profile_provide(struct session *s, const struct probe_desc *desc, int *tag UNUSED,
			   struct err *err UNUSED)
{
	if (desc && !desc->mod[0] && !desc->func[0] && !glob_is_pattern(desc->name))
		create(s, desc->name);
	for (unsigned i = 0; !desc && i < ARRAY_SIZE(standing); i++)
		create(s, standing[i]);
	return 0;
}

/* The names that there could be, with the number that was asked for. */
static void profile_suggest(struct session *s UNUSED, const struct probe_desc *d,
			    enum desc_field field, void (*fn)(void *, const char *), void *arg)
{
	const char *tail = strchr(d->name, '-');
	char name[64];

	if (field == DESC_PROV)
		fn(arg, "profile");
	for (unsigned i = 0; field == DESC_NAME && tail && i < ARRAY_SIZE(prefixes); i++) {
		snprintf(name, sizeof(name), "%s%s", prefixes[i], tail + 1);
		fn(arg, name);
	}
}

/* Not NULL: it is fed by samples. */
#define BY_SAMPLES ((void *)(uintptr_t)1)

static int profile_enable(struct probe *p, struct err *err)
{
	const struct world *w = world_of(p->session);
	uint64_t interval_ns = 0;
	enum kind kind;

	parse_name(p->name, &kind, &interval_ns);
	if (kind == KIND_TICK) {
		p->is_timer = true;
		proftick_enable(p, interval_ns);
		return 0;
	}
	if ((kind == KIND_SAMPLE && profsample_add(p, interval_ns, PERF_SYSTEM, err) == 0) ||
	    profsample_add(p, interval_ns, PERF_TARGETS, err) == 0) {
		p->arg = BY_SAMPLES;
		p->session->sampled = "perf";
	} else if (w->cannot_stop || w->recording) {
		return err->code;
	} else if (world_can_stop(w)) {
		p->session->sampled =
			arena_printf(p->session->arena, "stopping threads (%s)", err->text);
	}
	return 0;
}

static void fire_on(struct probe *p, int cpu, uint64_t time_ns)
{
	const struct event ev = {
		.probe = p,
		.pid = p->session->front_pid,
		.tid = p->session->front_pid,
		.cpu = cpu,
		.time_ns = time_ns,
	};

	event_fire(p->session, &ev);
}

struct sample {
	struct probe *probe;
	struct proc *proc;
	struct thread *thread;
};

static void fire_thread(struct thread *t, const struct regs *regs, void *arg)
{
	struct sample *sm = arg;
	struct session *s = sm->probe->session;
	const struct event ev = {
		.probe = sm->probe,
		.target = proc_target(sm->proc),
		.pid = proc_pid(sm->proc),
		.tid = thread_tid(t),
		.cpu = sched_getcpu(),
		.time_ns = session_now(s),
		.args = {0, regs->r.rip},
		.regs = regs,
		.source = sm,
	};

	sm->thread = t;
	event_fire(s, &ev);
}

/* A sampled thread is stopped like one that hit a breakpoint. */
static unsigned profile_ustack(const struct event *ev, taddr_t *pcs, unsigned max)
{
	const struct sample *sm = ev->source;
	struct hit hit;

	if (!sm)
		return 0;
	hit = (struct hit){.proc = sm->proc,
			   .thread = sm->thread,
			   .tid = ev->tid,
			   .pc = ev->args[1],
			   .time_ns = ev->time_ns,
			   .cpu = ev->cpu};
	return hit_ustack(&hit, false, pcs, max);
}

static uint64_t profile(struct session *s, void *arg, uint64_t deadline_ns)
{
	struct probe *p = arg;
	struct world *w = world_of(s);
	uint64_t interval_ns = 0, now = session_now(s);
	enum kind kind;

	for (unsigned i = 0; i < w->nprocs; i++)
		if (w->procs[i].proc) {
			struct sample sm = {p, w->procs[i].proc, NULL};

			proc_sample(w->procs[i].proc, fire_thread, &sm);
		}
	for (int cpu = 0; w->nprocs == 0 && cpu < (int)sysconf(_SC_NPROCESSORS_ONLN); cpu++)
		fire_on(p, cpu, now);
	parse_name(p->name, &kind, &interval_ns);
	return proftick_next(s, deadline_ns, interval_ns);
}

static void tell_rate(const struct probe *p, uint64_t interval_ns)
{
	const struct world *w = world_of(p->session);
	const uint64_t rate_hz = w->recording ? perf_recorded_rate(w, interval_ns) : 0;

	if (rate_hz && NS_PER_SEC / rate_hz != interval_ns)
		session_message(p->session, MSG_ERR, false,
				"probe profile:::%s fires at each sample that is recorded: %llu a "
				"second were asked for",
				p->name, (unsigned long long)rate_hz);
}

/* Nothing is sampled: what a clause reads of the current thread is the tracer's own. */
static void tell_unsampled(const struct probe *p)
{
	struct world *w = world_of(p->session);

	if (w->nprocs || w->recording || !(p->needs & (NEED_ARGS | NEED_USTACK | NEED_KSTACK)))
		return;
	session_message(
		p->session, MSG_ERR, false,
		"probe profile:::%s samples no program, and reads dtrace itself: %s; -c and "
		"-p sample a program of yours",
		p->name, feature_why(world_features(w), FEATURE_PERF_SYSTEM));
}

/* The clock of a probe begins when BEGIN has fired. */
static int profile_start(struct session *s, struct err *err UNUSED)
{
	for (uint32_t id = 1; id <= s->nprobes; id++) {
		struct probe *p = probe_by_id(s, id);
		uint64_t interval_ns;
		enum kind kind;

		if (p->provider != &prov_profile || !p->enabled ||
		    !parse_name(p->name, &kind, &interval_ns))
			continue;
		if (p->arg == BY_SAMPLES) {
			tell_rate(p, interval_ns);
		} else {
			p->is_timer = true;
			if (kind == KIND_TICK) {
				proftick_start(p);
				continue;
			}
			tell_unsampled(p);
			session_add_timer(s, session_now(s) + interval_ns, profile, p);
		}
	}
	return 0;
}

const struct provider prov_profile = {
	.name = "profile",
	.is_of_kernel = true,
	.provide = profile_provide,
	.suggest = profile_suggest,
	.enable = profile_enable,
	.ustack = profile_ustack,
	.start = profile_start,
	.attrs = &evolving_attrs,
	.loss = LOSS_KERNEL,
	.reads_files = true,
};
