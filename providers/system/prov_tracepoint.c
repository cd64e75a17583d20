/*
 * prov_tracepoint.c: every tracepoint of the kernel (docs/spec/providers.md §4.1). One probe, three
 * spellings: linux-SYSTEM:::EVENT, etw:SYSTEM:EVENT:generic_event, sdt:SYSTEM::EVENT (which may be
 * asked for as sdt::SYSTEM:EVENT);
 * linux-SYSTEM:::events is all of a system, linux-SYSTEM:::capturestate the processes that are
 * there when tracing starts.
 */
#include <errno.h>
#include <sys/utsname.h>
#include <stdlib.h>

#include "base/glob.h"
#include "base/strbuf.h"
#include "dlang/offload/claim.h"
#include "dlang/offload/places.h"
#include "dlang/errtags.h"
#include "providers/kernel/kprog/exits.h"
#include "providers/kernel/perf.h"
#include "providers/world/proctab.h"
#include "providers/kernel/pushreport.h"
#include "providers/system/tracepoints/tpnames.h"
#include "providers/system/tracepoints/tpoffload.h"
#include "providers/system/tracepoints/tprewrite.h"
#include "providers/system/tracepoints/tptypes.h"
#include "providers/providers.h"

#define LINUX "linux-"

/* One kernel event that feeds a probe, and the copy that D reads of its record:
 * reserved bytes, payload, and for dynamic fields a view with pointers in their place. */
struct feed {
	struct tracepoint *tp;
	struct perf *perf;
	const struct tpformat *format;
	uint64_t opcode;
	bool is_dynamic;
	bool leaves_own_out; /* what tracing does itself */
	/* Its clauses only count: there are no records of this machine, and those of a file are
	 * counted as they come; else NULL and 0. */
	const struct perf_counter *counter;
	uint64_t seen;
	uint64_t counted; /* handed over */
	bool is_counted;
	struct feed *next; /* of the probe */
	char copy[];
};

#define RECORD_MAX 65536

static bool tracepoint_on_demand(const char *prov)
{
	return !prov[0] || glob_is_pattern(prov) || strncmp(prov, LINUX, 6) == 0 ||
	       strcmp(prov, "etw") == 0 || strcmp(prov, "sdt") == 0;
}

/* ---- names to probes ---- */

struct search {
	struct session *session;
	const struct probe_desc *desc;
	const char *last; /* the system that had its `events` */
};

static void create(struct session *s, const char *prov, const char *mod, const char *func,
		   const char *name, enum spelling spelling, const char *system, const char *event)
{
	struct probe *p = probe_create(s, &prov_tracepoint, prov, mod, func, name, NULL);
	struct tracepoint *tp;

	if (p->arg)
		return;
	tp = ARENA_NEW(s->arena, struct tracepoint);
	tp->probe = p;
	tp->spelling = spelling;
	tp->system = intern_str(&s->engine->intern, system);
	tp->event = intern_str(&s->engine->intern, event);
	p->arg = tp;
}

static bool names_alias(const struct probe_desc *d, const char *prov)
{
	return d->prov[0] && strcmp(d->prov, "*") != 0 && glob_match(d->prov, prov);
}

/* sdt:SYSTEM::EVENT, or sdt::SYSTEM:EVENT. */
static bool means_system(const struct probe_desc *d, const char *system)
{
	if (!d->mod[0] && d->func[0])
		return glob_field(d->func, system);
	return glob_field(d->mod, system) && glob_field(d->func, "");
}

static bool tracepoint_matches(const struct probe *p, const struct probe_desc *d)
{
	const struct tracepoint *tp = p->arg;

	if (tp->spelling == SPELLED_SDT)
		return means_system(d, p->mod);
	return glob_field(d->mod, p->mod) && glob_field(d->func, p->func);
}

/* What a system has besides its events. */
static void offer_whole(const struct search *sr, const char *prov, const char *system)
{
	if (glob_field(sr->desc->name, "events"))
		create(sr->session, prov, "", "", "events", SPELLED_EVENTS, system, "");
	if (glob_field(sr->desc->name, "capturestate"))
		create(sr->session, prov, "", "", "capturestate", SPELLED_STATE, system, "");
}

/* Creates the spellings of one tracepoint that the description means. */
static void offer(void *arg, const char *system, const char *event)
{
	struct search *sr = arg;
	const struct probe_desc *d = sr->desc;
	struct session *s = sr->session;
	char prov[128];

	snprintf(prov, sizeof(prov), LINUX "%s", system);
	if (glob_field(d->prov, prov) && glob_field(d->mod, "") && glob_field(d->func, "")) {
		if (glob_field(d->name, event))
			create(s, prov, "", "", event, SPELLED_EVENT, system, event);
		if (!sr->last || strcmp(sr->last, system) != 0)
			offer_whole(sr, prov, system);
	}
	if (names_alias(d, "etw") && glob_field(d->mod, system) && glob_field(d->func, event) &&
	    glob_field(d->name, "generic_event"))
		create(s, "etw", system, event, "generic_event", SPELLED_GENERIC, system, event);
	if (names_alias(d, "sdt") && means_system(d, system) && glob_field(d->name, event))
		create(s, "sdt", system, "", event, SPELLED_SDT, system, event);
	sr->last = intern_str(&s->engine->intern, system);
}

/* Words that a description without a provider means otherwise; the kernel has no such events. */
static bool is_no_event(const struct probe_desc *d)
{
	static const char *const others[] = {"BEGIN", "END", "ERROR", "entry", "return"};

	if (d->prov[0])
		return false;
	if (d->func[0] || d->mod[0])
		return true;
	for (unsigned i = 0; i < ARRAY_SIZE(others); i++)
		if (strcmp(d->name, others[i]) == 0)
			return true;
	return strchr(d->name, '-') != NULL;
}

/* linux-SYSTEM:::EVENT without a pattern. */
static bool is_exact(const struct probe_desc *d)
{
	return strncmp(d->prov, LINUX, 6) == 0 && !glob_is_pattern(d->prov) && !d->mod[0] &&
	       !d->func[0] && d->name[0] && !glob_is_pattern(d->name);
}

static int fail_missing(const struct world *w, const struct probe_desc *d, struct err *err)
{
	struct utsname u;

	if (w->recording)
		return perf_lacks(w, d->prov + 6, d->name, err);
	uname(&u);
	return err_set(err, -ENOENT, "tracepoint %s:%s does not exist on kernel %s", d->prov + 6,
		       d->name, u.release);
}

static int tracepoint_provide(struct session *s, const struct probe_desc *d, int *tag,
			      struct err *err)
{
	struct tracefs *t = world_tracefs(world_of(s));
	struct search sr = {s, d, NULL};
	int rc;

	if (is_no_event(d) || probe_find(s, d->prov, d->mod, d->func, d->name))
		return 0; /* the program emits it */
	if (d->prov[0] && !glob_is_pattern(d->prov) && !opt_on(&s->options, OPT_ZDEFS)) {
		rc = tracefs_check(t, err);
		*tag = D_PDESC_ZERO;
		if (rc < 0)
			return rc;
	}
	if (!is_exact(d) || strcmp(d->name, "events") == 0 ||
	    strcmp(d->name, "capturestate") == 0) {
		tracefs_each(t, offer, &sr);
		return 0;
	}
	if (tracefs_has(t, d->prov + 6, d->name)) {
		offer(&sr, d->prov + 6, d->name);
		return 0;
	}
	*tag = D_PDESC_ZERO;
	return opt_on(&s->options, OPT_ZDEFS) ? 0 : fail_missing(world_of(s), d, err);
}

/* ---- records ---- */

/* The four bytes before the payload: event id, version 0, 1 for a 64-bit process. */
static void put_header(char *raw, const struct tpformat *fmt)
{
	const uint16_t id = (uint16_t)fmt->id;

	memset(raw, 0, TP_COMMON_SIZE);
	memcpy(raw + 4, &id, sizeof(id));
	raw[7] = 1;
}

static void on_record(void *arg, const struct perf_sample *sm)
{
	struct feed *f = arg;
	struct probe *p = f->tp->probe;
	uint32_t n = MIN(sm->rawlen, (uint32_t)RECORD_MAX), size = ROUND_UP(n, 8);
	char *payload = f->copy + TP_COMMON_SIZE;
	struct event ev;

	if (f->leaves_own_out && perf_is_own(f->perf, sm->pid))
		return;
	perf_event_init(f->perf, &ev, sm);
	ev.probe = p;
	if (p->needs & (NEED_ARGS | NEED_MEM)) {
		if (n) /* a recording may have samples without a record */
			memcpy(f->copy, sm->raw, n);
		if (!world_of(p->session)->rewrite)
			tpformat_end_texts(f->format, f->copy, n);
		ev.args[4] = (uintptr_t)payload;
		if (f->is_dynamic) {
			ev.args[4] = (uintptr_t)f->copy + size;
			tpformat_view(p->session, f->format, f->copy + size, f->copy, n);
			size += tpformat_view_size(p->session, f->format);
		}
		put_header(f->copy, f->format);
		ev.raw = f->copy;
		ev.rawlen = size;
		ev.args[0] =
			f->tp->spelling == SPELLED_GENERIC ? (uintptr_t)f->copy : f->format->id;
		ev.args[1] = f->opcode;
		ev.args[2] = (uintptr_t)payload;
		ev.args[3] = n - MIN(n, (uint32_t)TP_COMMON_SIZE);
		ev.is_writable = world_of(p->session)->rewrite;
	}
	exits_lend(&ev);
	event_fire(p->session, &ev);
	if (ev.is_writable)
		tprewrite_take(&(struct tpcopied){p->session, f->format, f->copy, n}, sm);
}

/* ---- enabling ---- */

/* System calls of their own programs are all that the kernel shows users without privileges
 * (docs/spec/providers.md §4.12). */
static enum perf_scope scope_of(const struct tracepoint *tp, const struct perf *perf)
{
	return strcmp(tp->system, "syscalls") == 0 && !perf_sees_all(perf) ? PERF_TARGETS
									   : PERF_SYSTEM;
}

static void say_predicate(const struct tracepoint *tp, const char *event, const char *text)
{
	char name[128];

	snprintf(name, sizeof(name), LINUX "%s:::%s", tp->system, event);
	pushdown_report(world_of(tp->probe->session), name, 1, text);
}

/* ---- feeding ---- */

static int feed(struct tracepoint *tp, const char *event, struct err *err)
{
	struct probe *p = tp->probe;
	struct world *w = world_of(p->session);
	const struct tpformat *fmt = tracefs_format(world_tracefs(w), tp->system, event);
	struct perf_want want = {
		.type = PERF_TYPE_TRACEPOINT,
		.scope = scope_of(tp, w->perf),
		.flags = PERF_RAW | perf_flags(p->needs),
		.fn = on_record,
	};
	char *filter = NULL, *predicate;
	struct feed *f;
	bool is_exact;
	int rc;

	if (!fmt)
		return 0; /* it went with its module */
	f = xcalloc(1, sizeof(*f) + RECORD_MAX + tpformat_view_size(p->session, fmt));
	*f = (struct feed){.tp = tp, .perf = w->perf, .format = fmt, .next = tp->feeds};
	tp->feeds = f;
	f->opcode = tp_opcode(event);
	f->is_dynamic = tpformat_is_dynamic(fmt);
	want.config = fmt->id;
	want.flags |= tp_is_weighted(event) ? PERF_WEIGHTED : 0;
	want.arg = f;
	f->leaves_own_out = tp_leaves_own_out(tp);
	if (f->leaves_own_out)
		want.filter = filter = perf_filter_own(w->perf, NULL);
	else
		want.format = fmt;
	want.predicate = predicate = tp_predicate(tp, fmt, &is_exact);
	f->is_counted = tp_is_countable(tp, event, predicate, is_exact);
	if (f->is_counted || !tp_has_clauses(p->session)) /* else these have told why */
		probe_place_counted(p, f->is_counted, is_exact,
				    tp_is_weighted(event) ? WHY(WEIGHTED) : WHY(NUMBERS));
	if (f->is_counted) {
		want.count = w->recording ? &f->seen : NULL;
		rc = w->recording ? perf_add(w->perf, &want, err)
				  : perf_count(w->perf, &want, &f->counter, err);
	} else {
		perf_note_needs(w->perf, p->needs);
		exits_watch(p);
		rc = perf_add(w->perf, &want, err);
	}
	if (rc == 0 && predicate)
		say_predicate(tp, event, predicate);
	free(predicate);
	free(filter);
	return rc;
}

struct feeding {
	struct tracepoint *tp;
	int rc;
	struct err *err;
};

static void feed_one(void *arg, const char *system, const char *event)
{
	struct feeding *fd = arg;

	if (fd->rc == 0 && strcmp(system, fd->tp->system) == 0)
		fd->rc = feed(fd->tp, event, fd->err);
}

/* Systems whose events come by the hundred thousand a second (docs/spec/providers.md §4.1). */
static bool floods(const char *system)
{
	static const char *const systems[] = {"kmem", "lock", "maple_tree", "rcu"};

	for (unsigned i = 0; i < ARRAY_SIZE(systems); i++)
		if (strcmp(systems[i], system) == 0)
			return true;
	return false;
}

static bool is_without_predicate(const struct probe *p)
{
	for (const struct ecb *e = p->ecbs; e; e = e->next)
		if (!e->clause->pred)
			return true;
	return false;
}

static int refuse_flood(const struct probe *p, struct err *err)
{
	return err_set(
		err, -EPERM,
		"probe description %s:::%s: these are more than 100,000 events a second: name "
		"the events, give every clause a predicate, or use -x force",
		p->prov, p->name);
}

static int tracepoint_enable(struct probe *p, struct err *err)
{
	struct tracepoint *tp = p->arg;
	struct feeding fd = {tp, 0, err};
	struct perf *perf;
	int rc = world_perf(world_of(p->session), &perf, err);

	if (rc == 0)
		rc = perf_may(perf, p, scope_of(tp, perf), err);
	if (rc < 0)
		return rc;
	if (tp->spelling == SPELLED_STATE)
		return 0; /* at the start */
	if (tp_is_kept(tp)) {
		perf_note_needs(perf, p->needs);
		return 0;
	}
	if (tp->spelling != SPELLED_EVENTS)
		return feed(tp, tp->event, err);
	if (floods(tp->system) && is_without_predicate(p) &&
	    !opt_on(&p->session->options, OPT_FORCE))
		return refuse_flood(p, err);
	tracefs_each(world_tracefs(world_of(p->session)), feed_one, &fd);
	return fd.rc;
}

/* ---- what is there when tracing starts ---- */

static void fire_state(void *arg, pid_t pid, const struct taskinfo *info)
{
	struct session *s = arg;
	/* the payload: the process, as far as it is known */
	struct {
		int32_t reserved[2], pid, ppid, uid, gid;
		char comm[16];
	} state = {{0}, pid, info->ppid, (int32_t)info->uid, (int32_t)info->gid, {0}};
	struct event ev = {.pid = pid,
			   .tid = pid,
			   .time_ns = session_now(s),
			   .task = info,
			   .raw = &state,
			   .rawlen = sizeof(state),
			   .args = {0, 0, (uintptr_t)&state.pid, sizeof(state) - 8}};

	memcpy(state.comm, info->comm, sizeof(state.comm));
	for (uint32_t id = 1; id <= s->nprobes; id++) {
		struct probe *p = probe_by_id(s, id);
		const struct tracepoint *tp = p->arg;

		if (!p->enabled || p->provider != &prov_tracepoint || tp->spelling != SPELLED_STATE)
			continue;
		ev.probe = p;
		event_fire(s, &ev);
	}
}

static uint64_t capture_state(struct session *s, void *arg, uint64_t deadline_ns UNUSED)
{
	proctab_each(perf_procs(arg), fire_state, s);
	return UINT64_MAX;
}

/* The kernel refuses its clauses. */
static int feed_kept(struct tracepoint *tp, struct err *err)
{
	return feed(tp, tp->event, err);
}

static int tracepoint_start(struct session *s, struct err *err)
{
	for (uint32_t id = 1; id <= s->nprobes; id++) {
		const struct probe *p = probe_by_id(s, id);

		if (p->enabled && p->provider == &prov_tracepoint &&
		    ((struct tracepoint *)p->arg)->spelling == SPELLED_STATE) {
			session_add_timer(s, session_now(s), capture_state, world_of(s)->perf);
			break;
		}
	}
	return tp_start_clauses(s, feed_kept, err);
}

static void hand_over(const struct probe *p)
{
	const struct tracepoint *tp = p->arg;

	for (struct feed *f = tp->feeds; f; f = f->next) {
		const struct event ev = {.probe = tp->probe, .time_ns = session_now(p->session)};
		uint64_t n = f->counter ? perf_counted(f->counter) : f->seen;

		if (f->is_counted && n != f->counted)
			event_count(p->session, &ev, n - f->counted);
		f->counted = n;
	}
}

static void tracepoint_snapshot(struct session *s)
{
	for (uint32_t id = 1; world_of(s)->perf && id <= s->nprobes; id++) {
		const struct probe *p = probe_by_id(s, id);

		if (p->enabled && p->provider == &prov_tracepoint)
			hand_over(p);
	}
	tp_collect_clauses(s);
}

static void free_feeds(struct tracepoint *tp)
{
	while (tp->feeds) {
		struct feed *f = tp->feeds;

		tp->feeds = f->next;
		free(f);
	}
}

static void tracepoint_free(struct session *s)
{
	tp_free_clauses(s);
	for (uint32_t id = 1; id <= s->nprobes; id++) {
		const struct probe *p = probe_by_id(s, id);

		if (p->provider == &prov_tracepoint)
			free_feeds(p->arg);
	}
}

/* args[n] are the members of the structure that the record is seen as. */
static void field_args(struct session *s, struct tracepoint *tp, const struct tpformat *fmt,
		       struct probe_args *args)
{
	const struct type *t = type_resolve(tpformat_type(s, fmt));

	if (!tp->fields)
		tp->fields = arena_alloc(s->arena, (t->nmembers + 1) * sizeof(*tp->fields));
	for (unsigned i = 0; i < t->nmembers; i++)
		tp->fields[i] =
			(struct probe_arg){.type = t->members[i].type,
					   .name = t->members[i].name,
					   .place = ARG_FIELD,
					   .at = 4,
					   .offset = (uint32_t)(t->members[i].bit_offset / 8),
					   .is_ours = true};
	args->v = tp->fields;
	args->n = t->nmembers;
}

static void tracepoint_argtypes(struct probe *p, struct probe_args *args)
{
	struct tracepoint *tp = p->arg;
	struct session *s = p->session;
	const struct tpformat *fmt;

	if (tp->spelling == SPELLED_EVENTS || tp->spelling == SPELLED_STATE) {
		args->why = "the events of a system have different fields";
		return;
	}
	fmt = tracefs_format(world_tracefs(world_of(s)), tp->system, tp->event);
	if (!fmt) {
		args->why = "its format cannot be read";
		return;
	}
	if (tp->spelling == SPELLED_SDT) {
		field_args(s, tp, fmt, args);
		return;
	}
	if (!tp->arg.type)
		tp->arg.type = type_target_pointer(&s->engine->types, tpformat_type(s, fmt));
	tp->arg.place = ARG_VALUE;
	tp->arg.at = 4;
	tp->arg.is_ours = true;
	args->v = &tp->arg;
	args->n = 1;
}

/* What args[0] leads to, by the format of this kernel or of the recording. */
static void tracepoint_detail(struct probe *p, struct strbuf *out)
{
	const struct tracepoint *tp = p->arg;
	const struct type *t;
	char text[256];

	if (!tp->arg.type)
		return;
	t = tp->arg.type->ref;
	strbuf_adds(out, "\tArgument Members\n");
	for (unsigned i = 0; i < t->nmembers; i++)
		strbuf_addf(out, "\t\targs[0]->%s: %s\n", t->members[i].name,
			    type_name(t->members[i].type, text, sizeof(text)));
	strbuf_addc(out, '\n');
}

const struct provider prov_tracepoint = {
	.name = "linux",
	.on_demand = tracepoint_on_demand,
	.matches = tracepoint_matches,
	.provide = tracepoint_provide,
	.suggest = tracepoint_suggest,
	.enable = tracepoint_enable,
	.argtypes = tracepoint_argtypes,
	.detail = tracepoint_detail,
	.start = tracepoint_start,
	.stop = tracepoint_snapshot,
	.snapshot = tracepoint_snapshot,
	.free = tracepoint_free,
	.loss = LOSS_KERNEL,
	.attrs = &raw_attrs,
	.reads_files = true,
};
