#include "providers/system/tracepoints/tpoffload.h"

#include <stdlib.h>

#include "dlang/offload/claim.h"
#include "dlang/offload/pushdown.h"
#include "dlang/run/vm.h"
#include "providers/kernel/kprog/tpclauses.h"
#include "providers/kernel/perf.h"
#include "providers/system/tracepoints/tptypes.h"
#include "tracer/procfs/procfs.h"

/* Of the run. */
struct tp_world {
	const struct provider *provider;
	struct tp_clauses *clauses; /* NULL: none can run in the kernel */
};

uint64_t tp_opcode(const char *event)
{
	static const struct {
		const char *ends;
		uint64_t opcode;
	} words[] = {{"enter", 1}, {"entry", 1}, {"start", 1}, {"begin", 1},
		     {"exit", 2},  {"end", 2},	 {"done", 2},  {"complete", 2}};
	size_t n = strlen(event);

	for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
		size_t m = strlen(words[i].ends);

		if (n >= m && strcmp(event + n - m, words[i].ends) == 0)
			return words[i].opcode;
	}
	if (strncmp(event, "sys_enter_", 10) == 0)
		return 1;
	return strncmp(event, "sys_exit_", 9) == 0 ? 2 : 0;
}

/* Its counter counts nanoseconds (include/trace/events/sched.h, __perf_count). */
bool tp_is_weighted(const char *event)
{
	return strncmp(event, "sched_stat_", 11) == 0;
}

/* ---- what clauses ask for, in words of the kernel's filters ---- */

struct tpfilter {
	const struct session *session;
	const struct tpformat *format;
	bool has_pids; /* processes have the numbers here that they have in the kernel */
};

/* A value that the field can have: the kernel cuts constants down to its size. */
static bool fits(const struct filter_test *t)
{
	unsigned bits = t->size * 8;

	if (bits == 64)
		return true;
	if (t->op == FILTER_AND || !t->is_signed)
		return t->value >> bits == 0;
	return (int64_t)t->value >= -(1LL << (bits - 1)) && (int64_t)t->value < 1LL << (bits - 1);
}

/* The kernel compares as the field is signed or not; where no value is negative both are one. */
static bool compares_so(const struct filter_test *t, const struct tpfield *f)
{
	bool is_signed = t->op == FILTER_LT || t->op == FILTER_LE;

	if (t->op == FILTER_EQ || t->op == FILTER_AND)
		return true;
	return f->is_signed == is_signed || (t->size < 8 && !f->is_signed);
}

/* As a text in quotes, without any inside. */
static bool can_be_quoted(const char *text, const struct tpfield *f)
{
	return text[0] && !strchr(text, '"') && strlen(text) < 250 &&
	       (f->place != TP_INLINE || strlen(text) < f->size);
}

static const struct tpfield *field_of(const struct tpfilter *a, const struct filter_test *t)
{
	return t->of == FILTER_FIELD && t->id == 4 && t->off >= 0
		       ? tpformat_filtered(a->session, a->format, (uint64_t)t->off, t->size,
					   t->is_signed)
		       : NULL;
}

/* Of a thread that has ended the kernel knows the number longer than it tells it. */
static enum filter_means means(void *arg, const struct filter_test *t)
{
	const struct tpfilter *a = arg;
	const struct tpfield *f = field_of(a, t);

	if (!f)
		return a->has_pids && t->of == FILTER_BUILTIN && t->id == BUILTIN_TID &&
				       t->op == FILTER_EQ && !t->text && t->value <= INT32_MAX
			       ? FILTER_NECESSARY
			       : FILTER_UNKNOWN;
	if (!t->text)
		return fits(t) && compares_so(t, f) ? FILTER_EQUAL : FILTER_UNKNOWN;
	if (!can_be_quoted(t->text, f))
		return FILTER_UNKNOWN;
	/* of a dynamic text the kernel compares as much as there is, with or without an end */
	return f->place == TP_INLINE ? FILTER_EQUAL : FILTER_NECESSARY;
}

static void name_field(void *arg, const struct filter_test *t, char *to, size_t room)
{
	const struct tpfield *f = field_of(arg, t);

	snprintf(to, room, "%s", f ? f->name : "common_pid");
}

char *tp_predicate(const struct tracepoint *tp, const struct tpformat *fmt, bool *is_exact)
{
	struct tpfilter a = {tp->probe->session, fmt, procfs_in_root_pidns()};
	const struct filter_source source = {means, &a, true};
	char *text = NULL;
	struct filter s;

	filter_init(&s);
	filter_add(&s, tp->probe, &source);
	if (s.root == FILTER_STOP)
		text = xstrdup("common_pid == -1");
	else if (!filter_passes_all(&s))
		text = filter_text(&s, name_field, &a, PERF_PREDICATE_MAX);
	*is_exact = s.is_exact && (text || filter_passes_all(&s));
	return text;
}

bool tp_leaves_own_out(const struct tracepoint *tp)
{
	return strstr(tp->system, "syscalls") != NULL;
}

bool tp_is_countable(const struct tracepoint *tp, const char *event, const char *predicate,
		     bool is_exact)
{
	const struct world *w = world_of(tp->probe->session);

	return is_exact && !tp_is_weighted(event) && !w->log && !(w->recording && predicate) &&
	       probe_actions_are_countable(tp->probe, CLAIM_ALL_PROCESSES);
}

/* ---- clauses that run in the kernel ---- */

static const struct tpformat *format_of(const struct tracepoint *tp)
{
	return tracefs_format(world_tracefs(world_of(tp->probe->session)), tp->system, tp->event);
}

static bool clause_is_countable(const struct clause *c)
{
	bool is = true;

	for (unsigned i = 0; i < c->nprobes && is; i++) {
		const struct tracepoint *tp = c->probes[i]->arg;
		const struct tpformat *fmt = format_of(tp);
		bool is_exact = false;
		char *predicate = fmt ? tp_predicate(tp, fmt, &is_exact) : NULL;

		is = fmt && tp_is_countable(tp, tp->event, predicate, is_exact);
		free(predicate);
	}
	return is;
}

/* Those that lie in the record as they do in what args[0] leads to. */
static unsigned list_fields(const struct session *s, const struct tpformat *fmt,
			    struct clause_field *to)
{
	unsigned n = 0;

	for (unsigned i = 0; i < fmt->nfields; i++) {
		const struct tpfield *f = &fmt->fields[i];

		if (!tpfield_room(s, f))
			to[n++] = (struct clause_field){f->offset - TP_COMMON_SIZE, f->offset,
							f->size, tpfield_is_placed_text(f)};
	}
	return n;
}

/* One that a user has defined may be called as one of the kernel's own. */
static bool is_defined(const struct tracepoint *tp)
{
	FILE *f = tracefs_open(world_tracefs(world_of(tp->probe->session)), "dynamic_events");
	char line[1024], name[256];
	bool is = !f || strcmp(tp->system, "synthetic") == 0;

	snprintf(name, sizeof(name), ":%s/%s", tp->system, tp->event);
	while (!is && fgets(line, sizeof(line), f))
		is = strncmp(line + strcspn(line, ":"), name, strlen(name)) == 0;
	if (f)
		fclose(f);
	return is;
}

static void add_clauses(struct tp_clauses *pc, struct tracepoint *tp)
{
	struct session *s = tp->probe->session;
	const struct tpformat *fmt = format_of(tp);
	struct clause_field *fields;

	if (!fmt)
		return;
	fields = arena_alloc(s->arena, (fmt->nfields + 1) * sizeof(*fields));
	tp_clauses_add(pc, &(struct tp_clauses_event){
				   .probe = tp->probe,
				   .id = fmt->id,
				   .fields = fields,
				   .nfields = list_fields(s, fmt, fields),
				   .args = {fmt->id, tp_opcode(tp->event)},
				   .leaves_own_out = tp_leaves_own_out(tp),
				   .raw = is_defined(tp) ? NULL : tp->event,
				   /* perf has the registers of the process there */
				   .has_no_stack = strcmp(tp->system, "syscalls") == 0});
}

static const struct tp_world *tp_world_of(const struct probe *of)
{
	struct session *s = of->session;
	struct world *w = world_of(s);

	if (w->tracepoints)
		return w->tracepoints;
	w->tracepoints = xcalloc(1, sizeof(*w->tracepoints));
	w->tracepoints->provider = of->provider;
	w->tracepoints->clauses = tp_clauses_new(s, of->provider, clause_is_countable);
	for (uint32_t id = 1; w->tracepoints->clauses && id <= s->nprobes; id++) {
		const struct probe *p = probe_by_id(s, id);
		struct tracepoint *tp = p->arg;

		if (p->provider == of->provider && p->ecbs &&
		    (tp->spelling == SPELLED_EVENT || tp->spelling == SPELLED_SDT))
			add_clauses(w->tracepoints->clauses, tp);
	}
	if (w->tracepoints->clauses)
		tp_clauses_find(w->tracepoints->clauses);
	return w->tracepoints;
}

bool tp_is_kept(struct tracepoint *tp)
{
	const struct tp_world *tw = tp_world_of(tp->probe);

	tp->is_kept = tp_clauses_have(tw->clauses, tp->probe);
	return tp->is_kept;
}

bool tp_has_clauses(const struct session *s)
{
	return world_of(s)->tracepoints->clauses;
}

void tp_collect_clauses(struct session *s)
{
	const struct tp_world *tw = world_of(s)->tracepoints;

	if (tw)
		tp_clauses_collect(tw->clauses);
}

int tp_start_clauses(struct session *s, int (*feed)(struct tracepoint *, struct err *),
		     struct err *err)
{
	struct world *w = world_of(s);
	int rc = 0;

	if (!w->tracepoints || !w->tracepoints->clauses ||
	    tp_clauses_start(w->tracepoints->clauses))
		return 0;
	for (uint32_t id = 1; id <= s->nprobes && rc == 0; id++) {
		const struct probe *p = probe_by_id(s, id);
		struct tracepoint *tp = p->arg;

		if (p->provider == w->tracepoints->provider && tp->is_kept)
			rc = feed(tp, err);
	}
	return rc;
}

void tp_free_clauses(struct session *s)
{
	struct world *w = world_of(s);

	if (w->tracepoints)
		tp_clauses_free(w->tracepoints->clauses);
	free(w->tracepoints);
	w->tracepoints = NULL;
}
