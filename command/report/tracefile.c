/*
 * tracefile.c: a run as it lies in time: for Perfetto (pftrace.h), and as JSON in Chrome's Trace
 * Event Format, which older viewers and speedscope read. Slices and instants of timeline.h;
 * aggregations as counters, by what intervals.h holds of them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "command/report/history.h"
#include "command/report/pftrace.h"
#include "command/report/report_priv.h"
#include "dlang/print/aggvalue.h"

#define COUNTERS_MAX 32 /* rows of an aggregation, the largest */

/* ---- counters ---- */

struct counter {
	char *label; /* @name[key,...] */
	const struct aggvar *var;
	const struct aggent *ent; /* of the whole run */
	int64_t value;
	uint64_t uuid;
	uint64_t *sum; /* so far */
};

struct counters {
	struct counter *v;
	size_t n;
};

static int by_value(const void *a, const void *b)
{
	const struct counter *x = a, *y = b;
	int64_t p = x->value, q = y->value;

	return p != q ? (p < q ? 1 : -1) : aggkey_compare(x->var, x->ent->key, y->ent->key, 0);
}

static bool can_count(const struct aggvar *var)
{
	return !var->func->is_hist && !agg_has_stack(var);
}

static int64_t value_of(const struct aggvar *var, const uint64_t *data)
{
	const struct aggvalue v = {.var = var, .data = data, .normal = 1};

	return aggvalue_signed(&v);
}

static char *label_of(const struct report *r, const struct aggvar *var, const char *key)
{
	struct strbuf label, text;
	char *s;

	strbuf_init(&label);
	strbuf_init(&text);
	strbuf_addf(&label, "@%s", keytext_aggname(var));
	for (unsigned i = 0; i < var->nkeys; i++) {
		strbuf_clear(&text);
		keytext_add(&r->data->pr, &text, &var->keys[i], key + var->keys[i].offset);
		strbuf_addc(&label, i ? ',' : '[');
		keytext_add_line(&label, text.s, text.len);
	}
	if (var->nkeys)
		strbuf_addc(&label, ']');
	s = strbuf_detach(&label);
	strbuf_release(&label);
	strbuf_release(&text);
	return s;
}

/* FNV-1a, 64 bits: the same for the same row of all runs. */
static uint64_t name_hash(const char *s)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	return h;
}

static void add_counters(const struct report *r, struct counters *all, const struct aggcopy *copy)
{
	struct counter *v = xcalloc(copy->nents + 1, sizeof(*v));
	size_t n = MIN(copy->nents, COUNTERS_MAX);

	for (size_t i = 0; i < copy->nents; i++)
		v[i] = (struct counter){.var = copy->var,
					.ent = copy->ents[i],
					.value = value_of(copy->var, copy->ents[i]->data)};
	qsort(v, copy->nents, sizeof(*v), by_value);
	all->v = xrealloc(all->v, (all->n + n + 1) * sizeof(*v));
	for (size_t i = 0; i < n; i++) {
		v[i].label = label_of(r, copy->var, v[i].ent->key);
		v[i].uuid = name_hash(v[i].label);
		v[i].sum = xcalloc(copy->var->nwords, sizeof(uint64_t));
		copy->var->func->init(v[i].sum, copy->var);
		all->v[all->n++] = v[i];
	}
	free(v);
}

static struct counters counters_of(const struct report *r)
{
	const struct aggstore *aggs = r->data->aggs;
	struct counters all = {NULL, 0};

	for (uint32_t i = 0; i < aggs->ncopies; i++) {
		const struct aggcopy *copy = aggs->copies[i];

		if (copy && can_count(copy->var))
			add_counters(r, &all, copy);
		else if (copy)
			report_note(r, "@%s (%s) left out", keytext_aggname(copy->var),
				    copy->var->func->name);
	}
	return all;
}

static void counters_release(struct counters *all)
{
	for (size_t i = 0; i < all->n; i++) {
		free(all->v[i].label);
		free(all->v[i].sum);
	}
	free(all->v);
}

/* Takes in what came in an interval. False: nothing did. */
static bool advance(struct counter *c, const struct interval *iv)
{
	const struct aggcopy *copy = interval_copy(iv, c->var);
	const struct aggent *e = copy ? aggcopy_find(copy, c->ent->key) : NULL;

	if (e)
		c->var->func->merge(c->sum, e->data, c->var);
	return e;
}

/* ---- what both forms write ---- */

struct trace;

/* A form. */
struct trace_form {
	void (*track)(struct trace *, const struct tl_track *);
	void (*event)(struct trace *, const struct tl_event *);
	void (*counter)(struct trace *, const struct counter *); /* there is one */
	void (*value)(struct trace *, const struct counter *, uint64_t time_ns);
	void (*drops)(struct trace *, uint64_t time_ns, uint64_t n);
};

struct trace {
	const struct trace_form *form;
	const struct report *report;
	struct strbuf *out;
	struct hash processes; /* that have been told */
	bool has_tracks;
	bool is_first; /* chrome: no comma yet */
	bool has_drops;
};

/* What was read of other runs (--merge) has none. */
static const struct report_history *history_of(const struct report *r)
{
	static const struct report_history none;

	return r->data->history ? r->data->history : &none;
}

/* Events and what intervals hold, in order of time. */
static void add_events(struct trace *t, struct counters *counters)
{
	const struct report_history *h = history_of(t->report);
	size_t at = 0;

	for (size_t i = 0; i <= h->intervals.n; i++) {
		const struct interval *iv = i < h->intervals.n ? &h->intervals.v[i] : NULL;

		for (; at < h->timeline.nevents &&
		       (!iv || h->timeline.events[at].time_ns <= iv->to_ns);
		     at++)
			t->form->event(t, &h->timeline.events[at]);
		for (size_t k = 0; iv && k < counters->n; k++)
			if (advance(&counters->v[k], iv))
				t->form->value(t, &counters->v[k], iv->to_ns);
		if (iv && iv->ndrops)
			t->form->drops(t, iv->to_ns, iv->ndrops);
	}
}

void records_note_left(const struct report *r)
{
	uint64_t n = history_of(r)->timeline.nleft;

	if (n)
		report_note(r, "%" PRIu64 " records left out: -x reportsize is too small", n);
}

static void write_trace(struct report *r, const struct trace_form *form)
{
	const struct report_history *h = history_of(r);
	struct trace t = {.form = form, .report = r, .out = &r->out, .is_first = true};
	struct counters counters = counters_of(r);

	if (!r->data->history)
		report_note(r, "nothing in it: no records, no times");
	else if (!h->timeline.nevents)
		report_note(r, "no slices: a clause that only aggregates makes no record; an "
			       "empty one, { }, does");
	hash_init(&t.processes);
	for (const struct tl_track *track = h->timeline.first; track; track = track->next)
		form->track(&t, track);
	for (size_t i = 0; i < counters.n; i++)
		form->counter(&t, &counters.v[i]);
	add_events(&t, &counters);
	records_note_left(r);
	counters_release(&counters);
	hash_release(&t.processes);
}

/* ---- Perfetto ---- */

enum { UUID_OWN = 1, UUID_DROPS = 2, UUID_PROCESS_0 = 3, UUID_CPUS = 0x10000, UUID_IDLE = 0x20000 };

static uint64_t process_uuid(uint32_t pid)
{
	return pid ? (uint64_t)pid << 32 : UUID_PROCESS_0;
}

/* Of process 0 there is a thread on each CPU, with the number of the process. */
static uint64_t track_uuid(const struct tl_track *track)
{
	if (track->kind != TL_THREAD)
		return track->kind == TL_OWN ? UUID_OWN : UUID_CPUS + track->tid;
	return track->pid ? process_uuid(track->pid) | track->tid : UUID_IDLE + track->tid;
}

/* The first of all says that state is new. */
static bool is_first_track(struct trace *t)
{
	bool is_first = !t->has_tracks;

	t->has_tracks = true;
	return is_first;
}

static void perfetto_track(struct trace *t, const struct tl_track *track)
{
	if (track->kind != TL_THREAD) {
		pft_track(t->out, track_uuid(track), 0, track->name, is_first_track(t));
		return;
	}
	if (!hash_get(&t->processes, track->pid)) {
		pft_process(t->out, process_uuid(track->pid), track->pid, track->process,
			    is_first_track(t));
		hash_put(&t->processes, track->pid, t);
	}
	pft_thread(t->out, track_uuid(track), process_uuid(track->pid), track->pid, track->tid,
		   track->name);
}

static void perfetto_event(struct trace *t, const struct tl_event *e)
{
	pft_event(t->out, track_uuid(e->track), e);
}

static void perfetto_counter(struct trace *t, const struct counter *c)
{
	struct unit u;
	const char *word = unit_word(&t->report->data->session->options, c->var, &u);
	int unit = !strcmp(word, "ns")	    ? PFT_NS
		   : !strcmp(word, "count") ? PFT_COUNT
		   : !strcmp(word, "bytes") ? PFT_BYTES
					    : 0;

	if (is_first_track(t))
		pft_track(t->out, UUID_OWN, 0, "dtrace", true);
	pft_counter(t->out, c->uuid, 0, c->label, unit, *word ? word : NULL);
}

static void perfetto_value(struct trace *t, const struct counter *c, uint64_t time_ns)
{
	pft_value(t->out, c->uuid, time_ns, value_of(c->var, c->sum));
}

static void perfetto_drops(struct trace *t, uint64_t time_ns, uint64_t n)
{
	char text[64];
	const struct tl_event e = {
		.time_ns = time_ns, .kind = TL_INSTANT, .name = text, .category = "dtrace"};

	if (!t->has_drops)
		pft_track(t->out, UUID_DROPS, 0, "drops", is_first_track(t));
	t->has_drops = true;
	snprintf(text, sizeof(text), "%" PRIu64 " drops", n);
	pft_event(t->out, UUID_DROPS, &e);
}

void report_perfetto(struct report *r)
{
	static const struct trace_form form = {perfetto_track, perfetto_event, perfetto_counter,
					       perfetto_value, perfetto_drops};
	const struct report_history *h = history_of(r);

	pft_clocks(&r->out, h->clocks.realtime_ns, h->clocks.monotonic_ns, h->clocks.boottime_ns);
	write_trace(r, &form);
}

/* ---- Chrome ---- */

static void begin_object(struct trace *t, char phase, uint32_t pid, uint32_t tid)
{
	strbuf_addf(t->out, "%s{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u", t->is_first ? "\n" : ",\n",
		    phase, pid, tid);
	t->is_first = false;
}

static void add_string(struct trace *t, const char *member, const char *text)
{
	strbuf_addf(t->out, ",\"%s\":", member);
	report_add_json(t->out, text);
}

/* In microseconds, exactly. */
static void add_time(struct trace *t, uint64_t ns)
{
	strbuf_addf(t->out, ",\"ts\":%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
}

/* What says how a process or thread is called. */
static void add_name(struct trace *t, const char *what, uint32_t pid, uint32_t tid,
		     const char *name)
{
	begin_object(t, 'M', pid, tid);
	add_string(t, "name", what);
	strbuf_adds(t->out, ",\"args\":{\"name\":");
	report_add_json(t->out, name);
	strbuf_adds(t->out, "}}");
}

/* Tracks of no thread are those of process 0. */
static uint32_t chrome_tid(const struct tl_track *track)
{
	return track->kind == TL_CPU   ? UUID_CPUS + track->tid
	       : track->kind == TL_OWN ? UUID_OWN
				       : track->tid;
}

static void chrome_track(struct trace *t, const struct tl_track *track)
{
	if (track->kind == TL_THREAD && *track->process && !hash_get(&t->processes, track->pid)) {
		add_name(t, "process_name", track->pid, track->pid, track->process);
		hash_put(&t->processes, track->pid, t);
	}
	if (*track->name)
		add_name(t, "thread_name", track->pid, chrome_tid(track), track->name);
}

static void add_args(struct trace *t, const struct tl_event *e)
{
	for (unsigned i = 0; i < e->nargs; i++) {
		strbuf_adds(t->out, i ? "," : ",\"args\":{");
		report_add_json(t->out, e->args[i].name);
		strbuf_addc(t->out, ':');
		if (e->args[i].text)
			report_add_json(t->out, e->args[i].text);
		else
			json_add_number(t->out, e->args[i].number);
	}
	strbuf_adds(t->out, e->nargs ? "}}" : "}");
}

static void chrome_event(struct trace *t, const struct tl_event *e)
{
	begin_object(t, " BEi"[e->kind], e -> track -> pid, chrome_tid(e->track));
	add_time(t, e->time_ns);
	if (e->category)
		add_string(t, "cat", e->category);
	if (e->name)
		add_string(t, "name", e->name);
	if (e->kind == TL_INSTANT)
		strbuf_adds(t->out, ",\"s\":\"t\"");
	add_args(t, e);
}

static void chrome_counter(struct trace *t UNUSED, const struct counter *c UNUSED)
{
}

static void chrome_value(struct trace *t, const struct counter *c, uint64_t time_ns)
{
	begin_object(t, 'C', 0, UUID_OWN);
	add_time(t, time_ns);
	add_string(t, "name", c->label);
	strbuf_adds(t->out, ",\"args\":{\"value\":");
	json_add_number(t->out, value_of(c->var, c->sum));
	strbuf_adds(t->out, "}}");
}

static void chrome_drops(struct trace *t, uint64_t time_ns, uint64_t n)
{
	begin_object(t, 'i', 0, UUID_DROPS);
	add_time(t, time_ns);
	strbuf_addf(t->out, ",\"name\":\"%" PRIu64 " drops\",\"s\":\"g\"}", n);
}

void report_chrome(struct report *r)
{
	static const struct trace_form form = {chrome_track, chrome_event, chrome_counter,
					       chrome_value, chrome_drops};
	const struct report_history *h = history_of(r);

	strbuf_adds(&r->out, "{\"traceEvents\":[");
	write_trace(r, &form);
	strbuf_addf(&r->out,
		    "\n],\"displayTimeUnit\":\"ns\",\"otherData\":{\"clock\":\"CLOCK_MONOTONIC\","
		    "\"monotonic_ns\":\"%" PRIu64 "\",\"realtime_ns\":\"%" PRIu64 "\"}}\n",
		    h->clocks.monotonic_ns, h->clocks.realtime_ns);
}
