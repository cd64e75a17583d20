#include "providers/hits/hitlog.h"

#include <stdlib.h>

#include "base/glob.h"
#include "base/hash.h"
#include "dlang/offload/capture.h"
#include "dlang/offload/defer.h"
#include "symbols/dwarf/types.h"
#include "providers/hits/hitformat.h"
#include "providers/kernel/perf.h"
#include "providers/perfwrite/perfwrite.h"
#include "providers/world/userstack.h"

/* Numbers of events: those of tracepoints are given from 1 on, and are 16 bits of a record. */
#define NUMBER_MAX 65535
#define HITS_MAX   32768
/* Ids of samples: the kernel counts from 1. */
#define FIRST_ID (UINT64_C(1) << 62)

#define RETURN_ARGS 3 /* where, and the result */

#define RECORD_WORDS 8184 /* 64 KB: what the size of a record can say */
#define MEMORY_ROOM  49152
#define PIECES_MAX   256

/* A probe that has been hit. */
struct hit_kind {
	struct probe *probe;
	struct hit_format format;
	unsigned number;
	uint64_t id, type; /* sample_type */
	char name[160];
	unsigned nwords; /* of arguments, behind the common fields */
	const struct hit_field *memory;
	struct capture capture; /* of which: what is read of memory */
	struct {
		const struct hit_field *field;
		unsigned piece; /* of the capture */
	} texts[HIT_TEXTS_MAX];
	unsigned ntexts;
};

struct piece {
	taddr_t addr;
	uint32_t size, at; /* of its bytes, in hitlog.memory */
};

struct hitlog {
	struct world *world;
	struct event_log door;
	struct hit_kind **hits; /* by the number of the probe */
	uint32_t room;
	unsigned nhits;
	struct strmap names;
	struct arena arena;
	/* of the hit at hand */
	struct event seen;
	struct target tap, *behind;
	struct piece pieces[PIECES_MAX];
	unsigned npieces;
	int captured[CAPTURE_MEM_MAX]; /* pieces by rows of the capture; -1: not read */
	uint32_t used;
	bool is_cut; /* the record has found no room */
	_Alignas(8) char memory[MEMORY_ROOM];
	uint64_t record[RECORD_WORDS];
};

/* ---- what is read ---- */

/* Room for that many bytes, behind the head of a piece; NULL: there is none. */
static char *new_piece(struct hitlog *l, uint32_t size)
{
	const uint32_t at = l->used + sizeof(struct hit_piece);

	return l->npieces < PIECES_MAX && at + ROUND_UP(size + 1, 8) <= sizeof(l->memory)
		       ? l->memory + at
		       : NULL;
}

/* What has been put there is one. */
static void keep_piece(struct hitlog *l, taddr_t addr, uint32_t size)
{
	const struct hit_piece head = {.addr = addr, .size = size};
	const uint32_t at = l->used + sizeof(head), filled = ROUND_UP(size + 1, 8);

	memcpy(l->memory + l->used, &head, sizeof(head));
	memset(l->memory + at + size, 0, filled - size);
	l->pieces[l->npieces++] = (struct piece){addr, size, at};
	l->used = at + filled;
}

static bool is_kept(const struct hitlog *l, taddr_t addr, size_t n)
{
	for (unsigned i = 0; i < l->npieces; i++)
		if (addr - l->pieces[i].addr < l->pieces[i].size &&
		    n <= l->pieces[i].size - (addr - l->pieces[i].addr))
			return true;
	return false;
}

/* What clauses read goes through here. */
static ssize_t read_tapped(struct target *t, taddr_t addr, void *buf, size_t n)
{
	struct hitlog *l = t->priv;
	ssize_t got = target_read(l->behind, addr, buf, n);
	char *to;

	if (got <= 0 || is_kept(l, addr, (size_t)got))
		return got;
	to = new_piece(l, (uint32_t)MIN(got, MEMORY_ROOM));
	if (to) {
		memcpy(to, buf, (size_t)got);
		keep_piece(l, addr, (uint32_t)got);
	}
	return got;
}

static ssize_t write_tapped(struct target *t, taddr_t addr, const void *buf, size_t n)
{
	const struct hitlog *l = t->priv;

	return target_write(l->behind, addr, buf, n);
}

/* Where a row of what clauses read lies; 0: what leads there could not be read. */
static taddr_t address_of(const struct hitlog *l, const struct capture_mem *m,
			  const struct event *ev)
{
	uint64_t base = 0;
	int from;

	switch (m->base) {
	case MEM_ABSOLUTE:
		break;
	case MEM_ARG:
		base = m->index < EVENT_ARGS ? ev->args[m->index] : 0;
		break;
	case MEM_PIECE:
		from = m->index < CAPTURE_MEM_MAX ? l->captured[m->index] : -1;
		if (from < 0 || l->pieces[from].size < sizeof(base))
			return 0;
		memcpy(&base, l->memory + l->pieces[from].at, sizeof(base));
		break;
	case MEM_THREAD:
	case MEM_REG: /* not asked for: struct capture.has_regs */
		return 0;
	}
	return base + (uint64_t)m->off;
}

static void read_captured(struct hitlog *l, const struct hit_kind *h, const struct event *ev)
{
	for (unsigned i = 0; i < MIN(h->capture.nmem, CAPTURE_MEM_MAX); i++) {
		const struct capture_mem *m = &h->capture.mem[i];
		const taddr_t addr = address_of(l, m, ev);
		char *to = addr ? new_piece(l, m->len) : NULL;
		ssize_t got = to ? target_read(ev->target, addr, to, m->len) : 0;

		l->captured[i] = -1;
		if (got <= 0)
			continue;
		if (m->is_string && strnlen(to, (size_t)got) < (size_t)got)
			got = (ssize_t)strnlen(to, (size_t)got) + 1;
		l->captured[i] = (int)l->npieces;
		keep_piece(l, addr, (uint32_t)got);
	}
}

/* Zeros between pieces of a record, from so many on: a piece has a head. */
#define ZEROS_MIN 48

/* How many zeros there are from `at` on. */
static size_t zeros(const char *raw, size_t at, size_t n)
{
	size_t end = at;

	while (end < n && !raw[end])
		end++;
	return end - at;
}

/* The record that arguments lead into. */
static void keep_record(struct hitlog *l, const struct event *ev)
{
	const char *raw = ev->raw;
	const size_t n = raw ? ev->rawlen : 0;
	size_t end;
	char *to;

	for (size_t at = zeros(raw, 0, n); at < n && !l->is_cut; at = end + zeros(raw, end, n)) {
		for (end = at; end < n && zeros(raw, end, MIN(n, end + ZEROS_MIN)) < ZEROS_MIN;)
			end += MAX(zeros(raw, end, n), 1);
		end = MIN(end, n);
		to = new_piece(l, (uint32_t)MIN(end - at, MEMORY_ROOM));
		l->is_cut = !to;
		if (!to)
			return;
		memcpy(to, raw + at, end - at);
		keep_piece(l, HIT_RECORD_AT + at, (uint32_t)(end - at));
	}
}

/* ---- formats ---- */

/* The one word that the argument is; HIT_WORDS_MAX: it is not in one that is recorded. */
static unsigned word_of(const struct probe_arg *a)
{
	if (a->is_ours)
		return HIT_WORDS_MAX;
	if (a->place == ARG_VALUE)
		return a->at;
	if (a->place != ARG_WORDS || a->nwords != 1)
		return HIT_WORDS_MAX;
	if (a->words[0] >= ARG_WORD_MORE && a->words[0] < ARG_WORD_END)
		return EVENT_ARGS + a->words[0] - ARG_WORD_MORE;
	return a->words[0] < EVENT_ARGS ? a->words[0] : HIT_WORDS_MAX;
}

/* args[i]: a word as its type has it, or nothing. */
static void add_arg(struct hit_kind *h, const struct probe_arg *a, unsigned i, bool *is_told)
{
	const unsigned word = word_of(a);
	struct hit_field *f;
	char name[16];

	snprintf(name, sizeof(name), "arg%u", i);
	f = hit_add_field(&h->format, a->name ? a->name : name, 0);
	if (word < h->nwords && type_is_scalar(a->type)) {
		hit_set_type(f, a->type);
		f->offset = TP_COMMON_SIZE + word * (uint32_t)sizeof(uint64_t);
		is_told[word] = true;
	} else {
		f->is_array = true;
	}
}

/* A word for each argument: those that have a type as args[] of the probe, then the others. */
static void add_words(struct hit_kind *h)
{
	const struct probe *p = h->probe;
	const struct provider *pv = p->provider;
	const unsigned all = strcmp(p->name, "return") == 0 ? RETURN_ARGS
			     : p->needs & NEED_STACKARGS    ? EVENT_ARGS
							    : EVENT_REG_ARGS;
	bool is_told[HIT_WORDS_MAX] = {false};
	struct probe_args args = {0};

	if (pv->argtypes && (pv->knows_args || p->session->engine->reads_typed_args))
		pv->argtypes(h->probe, &args);
	h->nwords = MIN(pv->knows_args ? args.n : all, HIT_WORDS_MAX);
	for (unsigned i = 0; i < MIN(args.n, HIT_WORDS_MAX / 2); i++)
		add_arg(h, &args.v[i], i, is_told);
	for (unsigned i = 0; i < h->nwords; i++) {
		struct hit_field *f;
		char name[16];

		if (is_told[i])
			continue;
		snprintf(name, sizeof(name), "arg%u", i);
		f = hit_add_field(&h->format, name, 0);
		if (!f)
			break;
		hit_set_type(f, NULL);
		f->offset = TP_COMMON_SIZE + i * (uint32_t)sizeof(uint64_t);
	}
	h->format.size = TP_COMMON_SIZE + h->nwords * (uint32_t)sizeof(uint64_t);
}

static void add_word_field(struct hit_kind *h, const char *name, unsigned word)
{
	struct hit_field *f = hit_add_field(&h->format, name, 0);

	hit_set_type(f, NULL);
	f->offset = TP_COMMON_SIZE + word * (uint32_t)sizeof(uint64_t);
}

/* All arguments, and how long the record is. */
static void add_record_words(struct hit_kind *h)
{
	char name[16];

	for (unsigned i = 0; i < EVENT_ARGS; i++) {
		snprintf(name, sizeof(name), "arg%u", i);
		add_word_field(h, name, i);
	}
	add_word_field(h, HIT_RECORD, EVENT_ARGS);
	h->nwords = EVENT_ARGS + 1;
	h->format.size = TP_COMMON_SIZE + h->nwords * (uint32_t)sizeof(uint64_t);
}

static const struct hit_field *add_place(struct hit_kind *h, const char *name)
{
	struct hit_field *f = hit_add_field(&h->format, name, sizeof(uint32_t));

	f->is_text = true;
	return f;
}

/* Other names of the function by which programs ask for it. */
static void add_aliases(struct hit_kind *h)
{
	const struct probe *p = h->probe;

	for (const struct ecb *e = p->ecbs; e; e = e->next) {
		const char *name = e->clause->desc ? e->clause->desc->func : "";

		if (name[0] && strcmp(name, p->func) != 0 && !glob_is_pattern(name))
			hit_add_alias(&h->format, name);
	}
}

static const char *name_of_word(const struct hit_kind *h, unsigned word)
{
	const uint32_t at = TP_COMMON_SIZE + word * (uint32_t)sizeof(uint64_t);

	for (unsigned i = 0; i < h->format.nfields; i++)
		if (h->format.fields[i].size && h->format.fields[i].offset == at)
			return h->format.fields[i].name;
	return "";
}

/* What strings are read, under the names of the arguments that lead there. */
static void add_texts(struct hit_kind *h)
{
	for (unsigned i = 0; i < h->capture.nmem && h->ntexts < HIT_TEXTS_MAX; i++) {
		const struct capture_mem *m = &h->capture.mem[i];
		char name[80] = "text";

		if (!m->is_string)
			continue;
		if (m->base == MEM_ARG && m->index < h->nwords && !m->off)
			snprintf(name, sizeof(name), "%.40s_text", name_of_word(h, m->index));
		h->texts[h->ntexts].field = add_place(h, name);
		h->texts[h->ntexts++].piece = i;
	}
}

/* Where clauses do not run nobody knows what they would have read. */
static void tell_unclear(const struct hit_kind *h, const char *why)
{
	const struct probe *p = h->probe;
	const struct world *w = world_of(p->session);

	if (why && w->log_only && p->needs & NEED_MEM)
		session_message(
			p->session, MSG_ERR, false,
			"%s:%s:%s:%s: not all that its clauses read of memory will be in %s: %s "
			"(-g)",
			p->prov, p->mod, p->func, p->name, perfwrite_path(w->log), why);
}

static void describe(struct hit_kind *h)
{
	const struct probe *p = h->probe;

	if (p->hits == HITS_FIELDS) {
		hit_add_fields(&h->format, p->arg);
	} else if (p->hits == HITS_TEXT) {
		h->texts[h->ntexts++].field = add_place(h, "text");
	} else if (p->hits == HITS_RECORD) {
		add_record_words(h);
	} else {
		add_words(h);
		add_aliases(h);
		tell_unclear(h, probe_capture_memory(p, &h->capture));
		add_texts(h);
	}
	h->memory = p->needs & NEED_MEM || p->hits == HITS_RECORD ? add_place(h, HIT_MEMORY) : NULL;
	h->type = PERFWRITE_PREFIX | PERF_SAMPLE_RAW;
	if (p->needs & (NEED_USTACK | NEED_KSTACK))
		h->type |= PERF_SAMPLE_CALLCHAIN;
	if (p->needs & NEED_REGS)
		h->type |= PERF_SAMPLE_REGS_USER;
}

static void name_hit(struct hitlog *l, struct hit_kind *h)
{
	char name[128];

	hit_event_name(h->probe, name, sizeof(name));
	snprintf(h->name, sizeof(h->name), "%s", name);
	for (unsigned i = 2; strmap_get(&l->names, h->name); i++)
		snprintf(h->name, sizeof(h->name), "%s_%u", name, i);
	strmap_put(&l->names, h->name, h);
}

static void declare_hit(struct hitlog *l, struct hit_kind *h)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.config = h->number,
		.sample_period = 1,
		.sample_type = h->type,
		.sample_regs_user = h->type & PERF_SAMPLE_REGS_USER ? USERSTACK_REGS : 0,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = PERFWRITE_CLOCK,
	};
	char name[sizeof(h->name) + 16];
	struct strbuf text;
	unsigned event;

	snprintf(name, sizeof(name), HIT_SYSTEM ":%s", h->name);
	event = perfwrite_event(l->world->log, &attr, name);
	perfwrite_id(l->world->log, event, h->id);
	strbuf_init(&text);
	hit_write_format(h->probe, h->name, h->number, &h->format, &text);
	perfwrite_format(l->world->log, HIT_SYSTEM, text.s);
	strbuf_release(&text);
}

static struct hit_kind *new_hit(struct hitlog *l, struct probe *p)
{
	struct hit_kind *h = ARENA_NEW(&l->arena, struct hit_kind);

	h->probe = p;
	h->number = NUMBER_MAX - l->nhits;
	h->id = FIRST_ID + l->nhits++;
	describe(h);
	name_hit(l, h);
	declare_hit(l, h);
	return h;
}

/* NULL: there are no more numbers. */
static struct hit_kind *hit_of(struct hitlog *l, struct probe *p)
{
	if (p->id >= l->room) {
		const uint32_t room = MAX(2 * l->room, p->id + 64);

		l->hits = xrealloc(l->hits, room * sizeof(*l->hits));
		memset(l->hits + l->room, 0, (room - l->room) * sizeof(*l->hits));
		l->room = room;
	}
	if (!l->hits[p->id] && l->nhits < HITS_MAX)
		l->hits[p->id] = new_hit(l, p);
	return l->hits[p->id];
}

/* ---- records ---- */

/* Words of a record; what finds no room makes it none. */
struct words {
	uint64_t *v;
	size_t n;
};

static void add_word(struct words *w, uint64_t v)
{
	if (w->n < RECORD_WORDS)
		w->v[w->n] = v;
	w->n++;
}

static void add_chain(struct words *w, const struct event *ev, const taddr_t *pcs, unsigned npcs)
{
	add_word(w, (npcs ? npcs + 1 : 0) + (ev->nkpcs ? ev->nkpcs + 1 : 0));
	if (ev->nkpcs)
		add_word(w, PERF_CONTEXT_KERNEL);
	for (unsigned i = 0; i < ev->nkpcs; i++)
		add_word(w, ev->kpcs[i]);
	if (npcs)
		add_word(w, PERF_CONTEXT_USER);
	for (unsigned i = 0; i < npcs; i++)
		add_word(w, pcs[i]);
}

static void add_regs(struct words *w, const struct regs *regs)
{
	uint64_t v[USERSTACK_NREGS];

	add_word(w, regs ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_NONE);
	if (!regs)
		return;
	userstack_get_regs(regs, v);
	for (unsigned i = 0; i < USERSTACK_NREGS; i++)
		add_word(w, v[i]);
}

static void put_u32(char *raw, uint32_t at, uint32_t v)
{
	memcpy(raw + at, &v, sizeof(v));
}

static void put_args(const struct hit_kind *h, const struct event *ev, char *raw)
{
	for (unsigned i = 0; i < h->nwords; i++) {
		uint64_t v = i < EVENT_ARGS  ? ev->args[i]
			     : ev->more_args ? ev->more_args[i - EVENT_ARGS]
					     : 0;

		memcpy(raw + TP_COMMON_SIZE + i * sizeof(v), &v, sizeof(v));
	}
}

/* Addresses of ours are none of a file. */
static void put_record_args(const struct event *ev, char *raw)
{
	const uint64_t from = (uintptr_t)ev->raw, size = ev->raw ? ev->rawlen : 0;

	for (unsigned i = 0; i < EVENT_ARGS; i++) {
		const uint64_t v = ev->args[i] - from < size ? HIT_RECORD_AT + (ev->args[i] - from)
							     : ev->args[i];

		memcpy(raw + TP_COMMON_SIZE + i * sizeof(v), &v, sizeof(v));
	}
	memcpy(raw + TP_COMMON_SIZE + EVENT_ARGS * sizeof(size), &size, sizeof(size));
}

/* Where texts are among the memory that was read, which begins there; those that were not read are
 * at the end, where 0 is. */
static void put_texts(const struct hitlog *l, const struct hit_kind *h, char *raw, uint32_t memory,
		      uint32_t end)
{
	for (unsigned i = 0; i < h->ntexts; i++) {
		const int n = l->captured[h->texts[i].piece];
		const struct piece *p = n < 0 ? NULL : &l->pieces[n];

		put_u32(raw, h->texts[i].field->offset, p ? p->size << 16 | (memory + p->at) : end);
	}
}

/* The bytes of a record of a tracepoint, from its size on: that and 4 are whole words. */
static void add_raw(const struct hitlog *l, const struct hit_kind *h, const struct event *ev,
		    struct words *w)
{
	const enum hit_form form = h->probe->hits;
	const uint32_t fixed = ROUND_UP(MAX(h->format.size, TP_COMMON_SIZE), 8),
		       more = form == HITS_TEXT ? (uint32_t)MIN(ev->rawlen, MEMORY_ROOM) : l->used,
		       size = fixed + ROUND_UP(more, 8) + 4;
	const size_t n = (size + 4) / 8;
	char *raw = (char *)(w->v + w->n) + 4;
	const uint16_t number = (uint16_t)h->number;

	if (w->n + n > RECORD_WORDS) {
		w->n += n;
		return;
	}
	memset(raw - 4, 0, fixed + 4);
	put_u32(raw - 4, 0, size);
	memcpy(raw, &number, sizeof(number));
	put_u32(raw, 4, (uint32_t)ev->tid);
	if (form == HITS_FIELDS)
		memcpy(raw + TP_COMMON_SIZE, ev->raw, MIN(ev->rawlen, fixed - TP_COMMON_SIZE));
	else if (form == HITS_TEXT)
		put_u32(raw, h->texts[0].field->offset, more << 16 | fixed);
	else if (form == HITS_RECORD)
		put_record_args(ev, raw);
	else
		put_args(h, ev, raw);
	memcpy(raw + fixed, form == HITS_TEXT ? ev->raw : l->memory, more);
	memset(raw + fixed + more, 0, size - fixed - more);
	if (form == HITS_ARGS)
		put_texts(l, h, raw, fixed, size - 1);
	if (h->memory)
		put_u32(raw, h->memory->offset, l->used << 16 | fixed);
	w->n += n;
}

static taddr_t pc_of(const struct event *ev, const taddr_t *pcs, unsigned npcs)
{
	if (npcs)
		return pcs[0];
	return ev->regs ? ev->regs->r.rip : 0;
}

static void after(void *arg, const struct event *ev, const taddr_t *pcs, unsigned npcs)
{
	struct hitlog *l = arg;
	const struct hit_kind *h = hit_of(l, ev->probe);
	struct perf_event_header head = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 0};
	struct words w = {l->record, 1};

	l->world->session->engine->defers = false;
	if (!h || l->is_cut) { /* there are no more numbers, or there is no room */
		perfwrite_lost(l->world->log, 1, ev->time_ns);
		return;
	}
	add_word(&w, h->id);
	add_word(&w, pc_of(ev, pcs, npcs));
	add_word(&w, (uint64_t)(uint32_t)ev->tid << 32 | (uint32_t)ev->pid);
	add_word(&w, ev->time_ns);
	add_word(&w, (uint32_t)MAX(ev->cpu, 0));
	if (h->type & PERF_SAMPLE_CALLCHAIN)
		add_chain(&w, ev, pcs, npcs);
	add_raw(l, h, ev, &w);
	if (h->type & PERF_SAMPLE_REGS_USER)
		add_regs(&w, ev->regs);
	if (w.n > RECORD_WORDS) {
		perfwrite_lost(l->world->log, 1, ev->time_ns);
		return;
	}
	head.size = (uint16_t)(w.n * sizeof(*w.v));
	memcpy(w.v, &head, sizeof(head));
	perfwrite_add(l->world->log, (const void *)w.v, 0);
}

static const struct event *before(void *arg, const struct event *ev)
{
	struct hitlog *l = arg;
	const struct hit_kind *h = hit_of(l, ev->probe);

	l->used = l->npieces = 0;
	l->is_cut = false;
	if (h && ev->probe->hits == HITS_RECORD)
		keep_record(l, ev);
	if (h && h->capture.nmem && ev->target)
		read_captured(l, h, ev);
	l->world->session->engine->defers =
		l->world->log_only && !ev->probe->provider->is_rare &&
		(ev->probe->hits == HITS_ARGS || ev->probe->hits == HITS_RECORD);
	if (l->world->session->engine->defers && !l->world->log_acts)
		return NULL;
	if (!h || !h->memory || !ev->target)
		return ev;
	l->behind = ev->target;
	l->tap = (struct target){.pid = ev->target->pid,
				 .holds_kernel = ev->target->holds_kernel,
				 .aspace = ev->target->aspace,
				 .priv = l,
				 .read = read_tapped,
				 .write = write_tapped,
				 .now = ev->target};
	l->seen = *ev;
	l->seen.target = &l->tap;
	return &l->seen;
}

static void lost(void *arg, struct probe *p UNUSED, uint64_t n)
{
	const struct hitlog *l = arg;

	perfwrite_lost(l->world->log, n, session_now(l->world->session));
}

/* ---- begin and end ---- */

struct hitlog *hitlog_new(struct world *w)
{
	struct hitlog *l = xcalloc(1, sizeof(*l));

	l->world = w;
	l->door = (struct event_log){before, after, lost, l};
	strmap_init(&l->names);
	arena_init(&l->arena);
	w->session->engine->log = &l->door;
	return l;
}

void hitlog_expect(struct hitlog *l, struct probe *p)
{
	if (p->hits != HITS_NOT)
		hit_of(l, p);
}

void hitlog_begin(struct hitlog *l)
{
	l->world->log_acts = l->world->log_only && session_defer(l->world->session);
}

void hitlog_free(struct hitlog *l)
{
	if (!l)
		return;
	l->world->session->engine->log = NULL;
	free(l->hits);
	strmap_release(&l->names);
	arena_release(&l->arena);
	free(l);
}
