#include "providers/hits/hitlog_priv.h"

#include <stdlib.h>

#include "dlang/offload/defer.h"
#include "providers/kernel/perf.h"
#include "providers/perfwrite/perfwrite.h"
#include "providers/world/userstack.h"

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
		l->hits[p->id] = hit_kind_new(l, p);
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

/* NULL: it is too large for one. */
static const struct perf_event_header *make_record(struct hitlog *l, const struct hit_kind *h,
						   const struct event *ev, const taddr_t *pcs,
						   unsigned npcs)
{
	struct perf_event_header head = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 0};
	struct words w = {l->record, 1};

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
	if (w.n > RECORD_WORDS)
		return NULL;
	head.size = (uint16_t)(w.n * sizeof(*w.v));
	memcpy(w.v, &head, sizeof(head));
	return (const void *)w.v;
}

static void after(void *arg, const struct event *ev, const taddr_t *pcs, unsigned npcs)
{
	struct hitlog *l = arg;
	const struct hit_kind *h = hit_of(l, ev->probe);
	const struct perf_event_header *record;

	l->world->session->engine->defers = false;
	/* there are no more numbers, or there is no room */
	record = h && !l->is_cut ? make_record(l, h, ev, pcs, npcs) : NULL;
	if (record)
		perfwrite_add(l->world->log, record, 0);
	else
		perfwrite_lost(l->world->log, 1, ev->time_ns);
}

void hitlog_tell(struct hitlog *l, enum hit_fact fact, pid_t pid, uint64_t time_ns,
		 const char *text)
{
	struct probe *p = &l->facts[fact].probe;
	const struct event ev = {.probe = p,
				 .pid = pid,
				 .tid = pid,
				 .time_ns = time_ns,
				 .raw = text,
				 .rawlen = strlen(text)};
	const struct perf_event_header *record;

	if (!l->facts[fact].kind && l->nhits < HITS_MAX) {
		*p = (struct probe){.session = l->world->session,
				    .prov = HIT_FACT_PROVIDER,
				    .mod = "",
				    .func = HIT_FACT_FUNCTION,
				    .name = hit_fact_names[fact],
				    .hits = HITS_TEXT};
		l->facts[fact].kind = hit_kind_new(l, p);
	}
	record = l->facts[fact].kind ? make_record(l, l->facts[fact].kind, &ev, NULL, 0) : NULL;
	if (record)
		perfwrite_keep(l->world->log, record);
	else
		perfwrite_lost(l->world->log, 1, time_ns);
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
