#include "providers/rewrite/recrewrite.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/strbuf.h"
#include "providers/perfwrite/perfcopy.h"
#include "providers/world/proctab.h"
#include "providers/world/world.h"

#define EMITTED_MAX 65000 /* bytes of what such a record says */

/* An emitted event that waits for the record at hand to be written before it. */
struct pending {
	unsigned event;
	struct perfcopy_sample of;
	size_t at; /* of its RAW, in recrewrite.waiting */
};

/* A thread whose name in the copy is not the recorded one: a name that it has got for one event, or
 * for good, in place of one that was recorded. */
struct other_name {
	char comm[16], lasting[16]; /* "": none */
};

struct recrewrite {
	struct rewriter ops;
	struct world *world;
	const struct emit_form *form;
	struct perfcopy *copy;
	struct proctab *procs;
	struct hash emissions; /* probe → number in the copy, and 1 more */
	struct hash numbers;   /* the same → of its format */
	struct hash parents;   /* event and name → number in the copy, and 1 more */
	struct hash names;     /* thread → struct other_name */
	/* the record at hand */
	const struct perf_event_header *h;
	bool is_open, is_dropped, is_emit_dropped;
	bool is_sample;
	struct recrewrite_raw now; /* as the sample has it; and as it was: */
	const void *raw;
	uint32_t rawlen;
	const char *parent; /* NULL: its own */
	bool has_name, has_pid, has_tid, has_cpu;
	char name[16];
	pid_t pid, tid;
	int cpu;
	uint32_t changed_len; /* of `changed`; 0: nothing has been changed */
	char changed[PERFCOPY_RECORD_MAX];
	uint64_t words[PERFCOPY_RECORD_MAX / sizeof(uint64_t)]; /* as it is written */
	char emitted[EMITTED_MAX];
	bool is_named; /* our own process, in the copy */
	struct strbuf waiting;
	struct pending *pending;
	unsigned npending, pending_room;
	uint64_t ndropped, nunchanged;
};

/* ---- what clauses do ---- */

/* An emitted event is left out by its own clauses. */
static bool drop(void *arg, const struct event *ev)
{
	struct recrewrite *rw = arg;

	if (ev->origin)
		rw->is_emit_dropped = true;
	else if (rw->is_open)
		rw->is_dropped = true;
	return ev->origin || rw->is_open;
}

static bool is_at_hand(const struct recrewrite *rw, const struct event *ev)
{
	return rw->is_open && !ev->origin;
}

static bool become(void *arg, const struct event *ev, const char *name)
{
	struct recrewrite *rw = arg;

	if (!is_at_hand(rw, ev) || !rw->is_sample)
		return false;
	rw->parent = name;
	return true;
}

static bool set(void *arg, const struct event *ev, enum rewrite_what what, uint64_t value,
		const char *text)
{
	struct recrewrite *rw = arg;

	if (!is_at_hand(rw, ev))
		return false;
	switch (what) {
	case REWRITE_EXECNAME:
		rw->has_name = true;
		snprintf(rw->name, sizeof(rw->name), "%s", text);
		break;
	case REWRITE_PID:
		rw->has_pid = true;
		rw->pid = (pid_t)value;
		break;
	case REWRITE_TID:
		rw->has_tid = true;
		rw->tid = (pid_t)value;
		break;
	case REWRITE_CPU:
		rw->has_cpu = true;
		rw->cpu = (int)value;
		break;
	}
	return true;
}

/* ---- events that are emitted ---- */

/* The recording may have events of that name already. */
static void name_emission(struct recrewrite *rw, const struct probe *p, char *name, size_t size)
{
	char plain[128];

	rw->form->name(p, plain, sizeof(plain));
	snprintf(name, size, "%s", plain);
	for (unsigned i = 2; perfcopy_has(rw->copy, rw->form->system, name); i++)
		snprintf(name, size, "%s_%u", plain, i);
}

/* Its number in the copy, and *number: that of its format. */
static unsigned emission_of(struct recrewrite *rw, const struct emission *em, unsigned *number)
{
	uintptr_t known = (uintptr_t)hash_get(&rw->emissions, (uintptr_t)em->probe);
	struct strbuf format;
	char name[144];

	if (known) {
		*number = (unsigned)(uintptr_t)hash_get(&rw->numbers, (uintptr_t)em->probe);
		return (unsigned)known - 1;
	}
	*number = perfcopy_number(rw->copy);
	name_emission(rw, em->probe, name, sizeof(name));
	strbuf_init(&format);
	rw->form->format(em->probe, name, *number, &format);
	known = perfcopy_tracepoint(rw->copy, rw->form->system, name, *number, format.s) + 1U;
	strbuf_release(&format);
	hash_put(&rw->emissions, (uintptr_t)em->probe, (void *)known);
	hash_put(&rw->numbers, (uintptr_t)em->probe, (void *)(uintptr_t)*number);
	return (unsigned)known - 1;
}

static void wait_for_record(struct recrewrite *rw, const struct pending *p)
{
	if (rw->npending == rw->pending_room) {
		rw->pending_room = rw->pending_room ? 2 * rw->pending_room : 16;
		rw->pending = xrealloc(rw->pending, rw->pending_room * sizeof(*rw->pending));
	}
	rw->pending[rw->npending] = *p;
	rw->pending[rw->npending++].at = rw->waiting.len;
	strbuf_add(&rw->waiting, p->of.raw, p->of.rawlen);
}

/* Emitted by BEGIN, END or a tick: of a process of ours, which no record names. */
static void write_own(struct recrewrite *rw, const struct pending *p)
{
	if (!rw->is_named)
		perfcopy_name(rw->copy, p->of.pid, p->of.pid, rw->world->session->progname,
			      p->of.time_ns);
	rw->is_named = true;
	perfcopy_sample(rw->copy, p->event, &p->of);
}

static void emit(void *arg, const struct emitted *e)
{
	struct recrewrite *rw = arg;
	const struct event *ev = e->ev;
	struct pending p = {.of = {ev->pid, ev->tid, ev->cpu, ev->time_ns, rw->emitted, 0}};
	const bool is_dropped = rw->is_emit_dropped;
	unsigned number;

	rw->is_emit_dropped = false;
	if (is_dropped)
		return;
	p.event = emission_of(rw, e->emission, &number);
	p.of.rawlen = rw->form->raw(e, number, rw->emitted, sizeof(rw->emitted));
	if (!p.of.rawlen)
		rw->nunchanged++;
	else if (rw->is_open)
		wait_for_record(rw, &p);
	else
		write_own(rw, &p);
}

static void write_pending(struct recrewrite *rw)
{
	for (unsigned i = 0; i < rw->npending; i++) {
		struct pending *p = &rw->pending[i];

		p->of.raw = rw->waiting.s + p->at;
		perfcopy_sample(rw->copy, p->event, &p->of);
	}
	rw->npending = 0;
	strbuf_clear(&rw->waiting);
}

/* ---- the record at hand ---- */

struct recrewrite *recrewrite_new(struct world *w, const struct emit_form *form)
{
	struct recrewrite *rw = xcalloc(1, sizeof(*rw));

	rw->ops = (struct rewriter){drop, become, set, emit, rw};
	rw->world = w;
	rw->form = form;
	hash_init(&rw->emissions);
	hash_init(&rw->numbers);
	hash_init(&rw->parents);
	hash_init(&rw->names);
	strbuf_init(&rw->waiting);
	return rw;
}

void recrewrite_free(struct recrewrite *rw)
{
	void *v;

	if (!rw)
		return;
	for (size_t i = 0; (v = hash_each(&rw->names, &i, NULL));)
		free(v);
	hash_release(&rw->emissions);
	hash_release(&rw->numbers);
	hash_release(&rw->parents);
	hash_release(&rw->names);
	strbuf_release(&rw->waiting);
	free(rw->pending);
	free(rw);
}

const struct rewriter *recrewrite_ops(const struct recrewrite *rw)
{
	return &rw->ops;
}

void recrewrite_to(struct recrewrite *rw, struct perfcopy *copy, struct proctab *procs)
{
	rw->procs = procs;
	rw->copy = copy;
}

void recrewrite_begin(struct recrewrite *rw, const struct perfdata_record *r)
{
	rw->h = r->h;
	rw->is_open = true;
	rw->is_dropped = rw->has_name = rw->has_pid = rw->has_tid = rw->has_cpu = false;
	rw->is_sample = r->event && r->h->type == PERF_RECORD_SAMPLE;
	rw->now = (struct recrewrite_raw){0};
	rw->parent = NULL;
	rw->changed_len = 0;
}

void recrewrite_sample(struct recrewrite *rw, struct recrewrite_raw raw)
{
	rw->now = raw;
	rw->raw = *raw.bytes;
	rw->rawlen = *raw.len;
}

/* The bytes that may be changed, and which the sample has from now on. */
static char *changeable(struct recrewrite *rw)
{
	if (!rw->changed_len) {
		memcpy(rw->changed, rw->raw, rw->rawlen);
		rw->changed_len = rw->rawlen;
		*rw->now.bytes = rw->changed;
	}
	return rw->changed;
}

static bool is_inside(const struct recrewrite *rw, uint32_t at, uint32_t n)
{
	return rw->now.bytes && n <= *rw->now.len && at <= *rw->now.len - n;
}

void recrewrite_bytes(struct recrewrite *rw, uint32_t at, const void *bytes, uint32_t n)
{
	if (is_inside(rw, at, n))
		memcpy(changeable(rw) + at, bytes, n);
}

/* Behind all there is, where it is longer than the old one: that one stays where it was. */
static bool append_text(struct recrewrite *rw, const char *text, uint32_t n, uint32_t *at)
{
	*at = *rw->now.len;
	if (rw->h->size - rw->rawlen + *at + n + 8 > PERFCOPY_RECORD_MAX)
		return false;
	memcpy(changeable(rw) + *at, text, n);
	rw->changed_len += n;
	*rw->now.len = rw->changed_len;
	return true;
}

void recrewrite_text(struct recrewrite *rw, struct recrewrite_text t, const char *text)
{
	const uint32_t n = (uint32_t)strlen(text) + 1;
	uint16_t word[2];

	if (!is_inside(rw, t.word, sizeof(word)) || !is_inside(rw, t.at, t.room))
		return;
	if (n <= t.room) {
		memcpy(changeable(rw) + t.at, text, n);
	} else if (!append_text(rw, text, n, &t.at)) {
		rw->nunchanged++;
		return;
	}
	word[0] = (uint16_t)(t.at - t.base);
	word[1] = (uint16_t)n;
	memcpy(changeable(rw) + t.word, word, sizeof(word));
}

/* ---- as it is written ---- */

/* With other RAW bytes, whose length stands in front of them: all is whole words. False: it is too
 * long. */
static bool put_raw(struct recrewrite *rw, const struct perf_event_header *from,
		    struct perf_event_header *to)
{
	const uint32_t raw = (uint32_t)ROUND_UP(rw->changed_len + sizeof(raw), 8) -
			     (uint32_t)sizeof(raw),
		       old = (uint32_t)ROUND_UP(rw->rawlen + sizeof(raw), 8);
	const size_t at = (size_t)((const char *)rw->raw - (const char *)from) - sizeof(raw),
		     rest = from->size - MIN(from->size, at + old);
	char *out = (char *)to;

	if (at + sizeof(raw) + raw + rest > PERFCOPY_RECORD_MAX)
		return false;
	memcpy(out, from, at);
	memset(out + at, 0, sizeof(raw) + raw);
	memcpy(out + at, &raw, sizeof(raw));
	memcpy(out + at + sizeof(raw), rw->changed, rw->changed_len);
	memcpy(out + at + sizeof(raw) + raw, (const char *)from + at + old, rest);
	to->size = (uint16_t)(at + sizeof(raw) + raw + rest);
	return true;
}

static void put_place(const struct recrewrite *rw, const struct perf_layout *l,
		      struct perf_event_header *h, struct perf_place *at)
{
	struct perf_words words;

	perf_find_words(l, h, &words);
	at->pid = rw->has_pid ? rw->pid : at->pid;
	at->tid = rw->has_tid ? rw->tid : at->tid;
	if (words.thread && (rw->has_pid || rw->has_tid))
		*words.thread = (uint64_t)(uint32_t)at->tid << 32 | (uint32_t)at->pid;
	if (words.cpu && rw->has_cpu)
		*words.cpu = (*words.cpu & ~(uint64_t)UINT32_MAX) | (uint32_t)rw->cpu;
}

/* The number in the copy of the event that it becomes, and 1 more; 0: its own. */
static unsigned parent_of(struct recrewrite *rw, const struct perfdata_event *e)
{
	const uint64_t key = hash_u64((uintptr_t)e) ^ hash_u64((uintptr_t)rw->parent);
	unsigned known = (unsigned)(uintptr_t)hash_get(&rw->parents, key);
	const size_t n = strcspn(rw->parent, ":");
	char *system;

	if (known)
		return known;
	system = xasprintf("%.*s", (int)n, rw->parent);
	known = perfcopy_like(rw->copy, e, system, rw->parent + n + 1) + 1;
	free(system);
	hash_put(&rw->parents, key, (void *)(uintptr_t)known);
	return known;
}

static const char *own_name(const struct recrewrite *rw, const struct other_name *n, pid_t pid,
			    pid_t tid)
{
	return n->lasting[0] ? n->lasting : proctab_thread_name(rw->procs, pid, tid);
}

/* The thread has that name in what follows; NULL: its own. */
static void name_thread(struct recrewrite *rw, pid_t pid, pid_t tid, const char *name,
			uint64_t time_ns)
{
	struct other_name *n = hash_get(&rw->names, (uint64_t)tid);

	if (!n && !name)
		return;
	if (!n) {
		n = xcalloc(1, sizeof(*n));
		hash_put(&rw->names, (uint64_t)tid, n);
	}
	if (!name && n->comm[0])
		perfcopy_name(rw->copy, pid, tid, own_name(rw, n, pid, tid), time_ns);
	else if (name && strcmp(n->comm[0] ? n->comm : own_name(rw, n, pid, tid), name) != 0)
		perfcopy_name(rw->copy, pid, tid, name, time_ns);
	snprintf(n->comm, sizeof(n->comm), "%s", name ? name : "");
	if (!n->comm[0] && !n->lasting[0])
		free(hash_del(&rw->names, (uint64_t)tid));
}

/* A process has the name of its first thread. */
static void name_for_sample(struct recrewrite *rw, const struct perf_place *at, uint64_t time_ns)
{
	const char *name = rw->has_name ? rw->name : NULL;

	if (!name && !rw->names.n)
		return;
	name_thread(rw, at->pid, at->pid, name, time_ns);
	if (at->tid != at->pid)
		name_thread(rw, at->pid, at->tid, name, time_ns);
}

/* A record has told of a process: what it is called has changed, or is said to. */
static void name_for_good(struct recrewrite *rw, const struct perf_event_header *h,
			  const struct perf_place *at, uint64_t time_ns)
{
	struct other_name *n;

	if (h->type == PERF_RECORD_COMM)
		free(hash_del(&rw->names, (uint64_t)at->tid));
	if (!rw->has_name)
		return;
	n = xcalloc(1, sizeof(*n));
	memcpy(n->lasting, rw->name, sizeof(n->lasting));
	free(hash_del(&rw->names, (uint64_t)at->tid));
	hash_put(&rw->names, (uint64_t)at->tid, n);
	perfcopy_name(rw->copy, at->pid, at->tid, rw->name, time_ns);
}

static bool is_changed(const struct recrewrite *rw)
{
	return rw->changed_len || rw->has_pid || rw->has_tid || rw->has_cpu;
}

static void write_it(struct recrewrite *rw, const struct perfdata_record *r)
{
	struct perf_event_header *h = (void *)rw->words;
	const bool is_sample = r->h->type == PERF_RECORD_SAMPLE;
	struct perfdata_record out = *r;
	struct perf_place at;

	if (!r->event || r->h->type >= PERFDATA_HEADER_ATTR) {
		perfcopy_record(rw->copy, r, 0);
		return;
	}
	perf_place(&r->event->layout, r->h, &at);
	if (is_changed(rw)) {
		if (!rw->changed_len || !put_raw(rw, r->h, h)) {
			rw->nunchanged += rw->changed_len != 0;
			memcpy(h, r->h, r->h->size);
		}
		put_place(rw, &r->event->layout, h, &at);
		out.h = h;
	}
	if (is_sample)
		name_for_sample(rw, &at, r->time_ns);
	perfcopy_record(rw->copy, &out, rw->parent ? parent_of(rw, r->event) : 0);
	if (!is_sample)
		name_for_good(rw, r->h, &at, r->time_ns);
}

void recrewrite_end(struct recrewrite *rw, const struct perfdata_record *r)
{
	rw->is_open = false;
	if (rw->is_dropped)
		rw->ndropped++;
	else
		write_it(rw, r);
	write_pending(rw);
}

uint64_t recrewrite_ndropped(const struct recrewrite *rw)
{
	return rw->ndropped;
}

uint64_t recrewrite_nunchanged(const struct recrewrite *rw)
{
	return rw->nunchanged;
}
