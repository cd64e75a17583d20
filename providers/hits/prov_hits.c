/*
 * prov_hits.c: probes of a recording that were ours when it was made: pid123:libc.so.6:malloc:entry
 * fires again, with its arguments, what was read of memory, and its stack.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "providers/hits/hits.h"

#include "base/glob.h"
#include "dlang/emission.h"
#include "providers/hits/hitformat.h"
#include "providers/kernel/perf.h"
#include "providers/perfdata/perfdata.h"
#include "providers/providers.h"
#include "providers/system/tracepoints/tptypes.h"

#define RECORD_MAX 65536
#define PIECES_MAX 512
/* Where words of arguments may lie: ARG_WORD_END. */
#define MAX_OFFSET (TP_COMMON_SIZE + 8 * (EVENT_ARGS + ARG_WORD_END - ARG_WORD_MORE))

struct piece {
	taddr_t addr;
	const char *bytes;
	uint32_t size;
};

/* One probe, and the hit of it that is at hand. */
struct recorded_hit {
	struct recorded_hit *next;
	struct hits *hits;
	const char *names[4];
	const struct tpformat *format;
	const struct tpfield *args[HIT_WORDS_MAX];
	unsigned nargs, nwords;
	const struct tpfield *memory; /* NULL: none was read */
	bool is_emitted, is_text;
	bool is_record;	      /* HITS_RECORD */
	struct probe *probe;  /* NULL: not made */
	unsigned call;	      /* event.syscall */
	hit_fact_fn *on_fact; /* it is no probe */
	void *fact_arg;
};

struct hits {
	struct session *session;
	struct perf *perf;
	struct arena arena;
	struct recorded_hit *first, **tail;
	/* of the hit at hand */
	struct target view;
	struct piece pieces[PIECES_MAX];
	unsigned npieces;
	uint64_t more[HIT_WORDS_MAX];
	_Alignas(8) char raw[RECORD_MAX + 8];
	_Alignas(8) char record[RECORD_MAX]; /* of HITS_RECORD, zeros and all */
};

/* ---- what there is ---- */

static bool is_alias(const struct tpfield *f)
{
	return !f->size && strncmp(f->name, HIT_ALIAS, sizeof(HIT_ALIAS) - 1) == 0;
}

/* What lies there are args[], but for words of which nothing is known, which are argN alone; a text
 * is args[0] where there is nothing else. */
static void find_args(struct recorded_hit *h)
{
	uint32_t end = TP_COMMON_SIZE;

	for (unsigned i = 0; i < h->format->nfields; i++) {
		const struct tpfield *f = &h->format->fields[i];

		if (f->place == TP_DATA_LOC && strcmp(f->name, HIT_MEMORY) == 0)
			h->memory = f;
		if (f->place != TP_INLINE || is_alias(f))
			continue;
		h->is_record |= strcmp(f->name, HIT_RECORD) == 0;
		if (strcmp(f->type, HIT_WORD) != 0 && h->nargs < HIT_WORDS_MAX)
			h->args[h->nargs++] = f;
		end = MAX(end, f->offset + f->size);
	}
	h->nwords = MIN((end - TP_COMMON_SIZE + 7) / 8, HIT_WORDS_MAX);
	if (h->nwords || !h->format->nfields || h->format->fields[0].place != TP_DATA_LOC)
		return;
	h->is_text = true;
	h->args[h->nargs++] = &h->format->fields[0];
}

static void add_format(void *arg, const char *system, const char *text)
{
	struct hits *hs = arg;
	struct recorded_hit *h;
	const char *names[4];

	if (strcmp(system, HIT_SYSTEM) != 0 || !hit_read_names(&hs->arena, text, names))
		return;
	h = ARENA_NEW(&hs->arena, struct recorded_hit);
	h->hits = hs;
	h->format = tpformat_parse(&hs->arena, system, text);
	if (!h->format)
		return;
	memcpy(h->names, names, sizeof(h->names));
	h->is_emitted = strcmp(names[0], EMIT_PROVIDER) == 0 || strcmp(names[0], "etw") == 0;
	find_args(h);
	*hs->tail = h;
	hs->tail = &h->next;
}

/* Providers whose probes only recordings have (prov_pid.c and others ask has_hits). */
static bool is_ours_alone(const char *prov)
{
	const size_t n = strlen(prov);

	if (strcmp(prov, "script") == 0 || strcmp(prov, EMIT_PROVIDER) == 0 ||
	    strcmp(prov, "etw") == 0)
		return true;
	return n && isdigit((unsigned char)prov[n - 1]) && !isdigit((unsigned char)prov[0]) &&
	       strncmp(prov, "linux-", 6) != 0 && strncmp(prov, "dnet", 4) != 0;
}

/* Another event of the file may have these names, of another machine's process: the first counts.
 */
static void make_probe(struct recorded_hit *h)
{
	const char *const *n = h->names;

	if (!h->probe && is_ours_alone(n[0]) &&
	    !probe_find(h->hits->session, n[0], n[1], n[2], n[3]))
		h->probe = probe_create(h->hits->session, &prov_hits, n[0], n[1], n[2], n[3], h);
}

/* A program's own module is that without ".so"; "libc" is libc.so.6. */
static bool module_means(const char *pattern, const char *mod)
{
	const size_t n = strlen(pattern);

	if (glob_field(pattern, mod))
		return true;
	if (strcmp(pattern, "a.out") == 0)
		return mod[0] && mod[0] != '[' && !strstr(mod, ".so");
	return !glob_is_pattern(pattern) && strncmp(mod, pattern, n) == 0 &&
	       strncmp(mod + n, ".so", 3) == 0;
}

static bool hits_on_demand(const char *prov)
{
	return !*prov || glob_is_pattern(prov) || is_ours_alone(prov);
}

static void read_formats(struct world *w)
{
	const char *writer = perfdata_text(w->recording, PERFDATA_F_VERSION);
	struct hits *hs = xcalloc(1, sizeof(*hs));
	struct err why;

	w->hits = hs;
	hs->session = w->session;
	hs->tail = &hs->first;
	arena_init(&hs->arena);
	perfdata_each_format(w->recording, add_format, hs, &why); /* others tell of damage */
	w->has_hits = writer && strcmp(writer, PERFDATA_OURS) == 0;
	for (struct recorded_hit *h = hs->first; h; h = h->next) {
		w->has_hits = true;
		if (!h->is_emitted)
			make_probe(h);
	}
}

static bool function_means(const struct recorded_hit *h, const char *pattern)
{
	char plain[256];

	if (glob_field(pattern, h->names[2]))
		return true;
	if (glob_is_pattern(pattern))
		return false;
	snprintf(plain, sizeof(plain), HIT_ALIAS "%s", pattern);
	return tpformat_field(h->format, plain) != NULL;
}

static bool is_meant(const struct recorded_hit *h, const struct probe_desc *d)
{
	return glob_field(d->prov, h->names[0]) && module_means(d->mod, h->names[1]) &&
	       function_means(h, d->func) && glob_field(d->name, h->names[3]);
}

/* What had no hits when it was recorded has none now: the file does not tell it from what was not
 * there. */
static bool hits_may_come(const struct session *s, const struct probe_desc *d)
{
	return world_of(s)->has_hits && !glob_is_pattern(d->prov) && is_ours_alone(d->prov) &&
	       strcmp(d->prov, EMIT_PROVIDER) != 0 && strcmp(d->prov, "etw") != 0;
}

static int hits_provide(struct session *s, const struct probe_desc *d, int *tag UNUSED,
			struct err *err UNUSED)
{
	struct world *w = world_of(s);
	bool has_any = false;

	if (!w->recording)
		return 0;
	if (!w->hits)
		read_formats(w);
	for (struct recorded_hit *h = w->hits->first; h; h = h->next) {
		if (!is_meant(h, d))
			continue;
		has_any = true;
		make_probe(h); /* of what a program emits, where this one does not */
	}
	if (!has_any && hits_may_come(s, d))
		session_message(s, MSG_ERR, false, "%s:%s:%s:%s: no hits of it are in %s", d->prov,
				d->mod, d->func, d->name, perfdata_path(w->recording));
	return 0;
}

static void hits_suggest(struct session *s, const struct probe_desc *d, enum desc_field field,
			 void (*fn)(void *arg, const char *name), void *arg)
{
	const struct hits *hs = world_of(s)->hits;
	const char *const wanted[] = {d->prov, d->mod, d->func, d->name};

	for (const struct recorded_hit *h = hs ? hs->first : NULL; h; h = h->next) {
		bool is_near = true;

		for (unsigned i = 0; i < ARRAY_SIZE(wanted); i++)
			is_near &= i == field || glob_field(wanted[i], h->names[i]);
		if (is_near)
			fn(arg, h->names[field]);
	}
}

static void hits_free(struct session *s)
{
	struct hits *hs = world_of(s)->hits;

	if (!hs)
		return;
	arena_release(&hs->arena);
	free(hs);
	world_of(s)->hits = NULL;
}

static bool hits_matches(const struct probe *p, const struct probe_desc *d)
{
	return module_means(d->mod, p->mod) && function_means(p->arg, d->func);
}

/* ---- arguments ---- */

static void place_word(struct probe_arg *a, const struct tpfield *f)
{
	const unsigned word = (f->offset - TP_COMMON_SIZE) / 8;

	a->place = ARG_VALUE;
	a->at = word;
	if (word < EVENT_ARGS)
		return;
	a->place = ARG_WORDS;
	a->nwords = 1;
	a->words[0] = (uint8_t)(ARG_WORD_MORE + word - EVENT_ARGS);
}

static struct probe_arg arg_of(struct session *s, const struct recorded_hit *h, unsigned i)
{
	const struct tpfield *f = h->args[i];
	const bool is_text = h->is_text || (f->nelems && strcmp(f->type, "char") == 0);
	struct probe_arg a = {.name = f->name,
			      .at = i,
			      .place = is_text || f->nelems ? ARG_ADDRESS : ARG_VALUE,
			      .is_ours = h->is_text || h->is_emitted};

	if (!f->size || f->offset < TP_COMMON_SIZE || (!a.is_ours && f->offset >= MAX_OFFSET)) {
		a.place = ARG_NOWHERE;
		a.why = "it was not recorded";
		a.type = s->engine->types.t_uword;
		return a;
	}
	a.type = is_text ? s->engine->types.t_string : tpfield_type(s, f);
	if (!a.is_ours) {
		place_word(&a, f);
	} else if (h->nargs > EVENT_ARGS && i >= EVENT_ARGS - 1) {
		a.place = ARG_FIELD;
		a.at = EVENT_ARGS - 1;
		a.offset = f->offset - TP_COMMON_SIZE;
	}
	return a;
}

static void hits_argtypes(struct probe *p, struct probe_args *args)
{
	const struct recorded_hit *h = p->arg;
	struct probe_arg *v = arena_alloc(p->session->arena, (h->nargs + 1) * sizeof(*v));

	for (unsigned i = 0; i < h->nargs; i++)
		v[i] = arg_of(p->session, h, i);
	args->v = v;
	args->n = h->nargs;
	args->why = h->nargs ? NULL : "no types of arguments were recorded";
}

/* ---- hits ---- */

static ssize_t read_recorded(struct target *t, taddr_t addr, void *buf, size_t n)
{
	const struct hits *hs = t->priv;
	const char *from = NULL;
	size_t best = 0;

	for (unsigned i = 0; i < hs->npieces; i++) {
		const struct piece *p = &hs->pieces[i];
		const size_t there =
			addr - p->addr < p->size ? MIN(n, p->size - (addr - p->addr)) : 0;

		if (there <= best)
			continue;
		from = p->bytes + (addr - p->addr);
		best = there;
	}
	if (from)
		memcpy(buf, from, best);
	return from ? (ssize_t)best : -EFAULT;
}

static ssize_t write_nothing(struct target *t UNUSED, taddr_t addr UNUSED, const void *buf UNUSED,
			     size_t n UNUSED)
{
	return -EFAULT;
}

static void find_pieces(struct hits *hs, const char *bytes, size_t n)
{
	struct hit_piece head;

	for (size_t at = 0; n - at >= sizeof(head) && hs->npieces < PIECES_MAX;) {
		memcpy(&head, bytes + at, sizeof(head));
		at += sizeof(head);
		if (head.size > n - at)
			return;
		hs->pieces[hs->npieces++] = (struct piece){head.addr, bytes + at, head.size};
		at += MIN(ROUND_UP((size_t)head.size + 1, 8), n - at);
	}
}

/* What clauses read of the process is what was read then. */
static void set_memory(struct hits *hs, const struct recorded_hit *h, struct event *ev)
{
	const char *bytes = NULL;
	size_t n = 0;

	hs->npieces = 0;
	if (h->memory)
		bytes = tpfield_place(h->memory, ev->raw, ev->rawlen, &n);
	if (bytes)
		find_pieces(hs, bytes, n);
	hs->view = (struct target){.pid = ev->pid,
				   .aspace = ev->target ? ev->target->aspace : 0,
				   .priv = hs,
				   .read = read_recorded,
				   .write = write_nothing,
				   .now = ev->target};
	ev->target = &hs->view;
}

/* The record that arguments lead into, as it was. */
static void set_record(struct hits *hs, struct event *ev)
{
	const uint64_t size = MIN(ev->more_args ? ev->more_args[0] : 0, (uint64_t)RECORD_MAX);

	memset(hs->record, 0, size);
	for (unsigned i = 0; i < hs->npieces; i++) {
		const struct piece *p = &hs->pieces[i];
		const uint64_t at = p->addr - HIT_RECORD_AT;

		if (at < size)
			memcpy(hs->record + at, p->bytes, MIN(p->size, size - at));
	}
	for (unsigned i = 0; i < EVENT_ARGS; i++)
		if (ev->args[i] - HIT_RECORD_AT < size)
			ev->args[i] = (uintptr_t)hs->record + (ev->args[i] - HIT_RECORD_AT);
	ev->more_args = NULL;
	ev->raw = size ? hs->record : NULL;
	ev->rawlen = size;
}

/* Of an event that a program has put together, or a text. */
static uint64_t value_of(const struct recorded_hit *h, const struct tpfield *f,
			 const struct event *ev)
{
	const char *raw = ev->raw, *text;
	size_t len;

	if (h->is_text) {
		text = tpfield_place(f, raw, ev->rawlen, &len);
		return (uintptr_t)(text ? text : raw + ev->rawlen);
	}
	if (f->nelems)
		return (uintptr_t)raw + MIN(f->offset, (uint32_t)ev->rawlen);
	return tpfield_int(f, raw, ev->rawlen);
}

static void set_fields(const struct recorded_hit *h, struct event *ev)
{
	for (unsigned i = 0; i < MIN(h->nargs, EVENT_ARGS); i++)
		ev->args[i] = value_of(h, h->args[i], ev);
	if (h->nargs > EVENT_ARGS)
		ev->args[EVENT_ARGS - 1] = (uintptr_t)ev->raw + TP_COMMON_SIZE;
}

static void set_words(struct hits *hs, const struct recorded_hit *h, struct event *ev)
{
	const char *words = (const char *)ev->raw + TP_COMMON_SIZE;
	const size_t room = ev->rawlen < TP_COMMON_SIZE ? 0 : (ev->rawlen - TP_COMMON_SIZE) / 8,
		     n = MIN(room, h->nwords);

	memcpy(ev->args, words, MIN(n, EVENT_ARGS) * sizeof(*ev->args));
	if (h->nwords <= EVENT_ARGS)
		return;
	memset(hs->more, 0, sizeof(hs->more));
	if (n > EVENT_ARGS)
		memcpy(hs->more, words + EVENT_ARGS * 8, (n - EVENT_ARGS) * 8);
	ev->more_args = hs->more;
}

static void on_record(void *arg, const struct perf_sample *sm)
{
	const struct recorded_hit *h = arg;
	struct hits *hs = h->hits;
	const uint32_t n = MIN(sm->rawlen, (uint32_t)RECORD_MAX);
	struct event ev;

	if (!sm->raw)
		return;
	perf_event_init(hs->perf, &ev, sm);
	memcpy(hs->raw, sm->raw, n);
	memset(hs->raw + n, 0, 8); /* texts end */
	ev.probe = h->probe;
	ev.syscall = h->call;
	ev.raw = hs->raw;
	ev.rawlen = n;
	if (h->is_text || h->is_emitted)
		set_fields(h, &ev);
	else
		set_words(hs, h, &ev);
	set_memory(hs, h, &ev);
	if (h->is_record)
		set_record(hs, &ev);
	event_fire(hs->session, &ev);
}

static int listen_to(struct recorded_hit *h, unsigned flags, perf_fn *fn, struct err *err)
{
	const struct perf_want want = {.type = PERF_TYPE_TRACEPOINT,
				       .config = h->format->id,
				       .scope = PERF_SYSTEM,
				       .flags = PERF_RAW | flags,
				       .format = h->format,
				       .fn = fn,
				       .arg = h};
	int rc = world_perf(world_of(h->hits->session), &h->hits->perf, err);

	return rc < 0 ? rc : perf_add(h->hits->perf, &want, err);
}

static int hits_enable(struct probe *p, struct err *err)
{
	return listen_to(p->arg, perf_flags(p->needs), on_record, err);
}

/* NULL: there is none. */
static struct recorded_hit *hit_of(const struct probe *p)
{
	struct world *w = world_of(p->session);
	struct recorded_hit *h;

	if (!w->hits)
		read_formats(w);
	for (h = w->hits->first; h; h = h->next)
		if (strcmp(h->names[0], p->prov) == 0 && strcmp(h->names[1], p->mod) == 0 &&
		    strcmp(h->names[2], p->func) == 0 && strcmp(h->names[3], p->name) == 0)
			return h;
	return NULL;
}

static int feed(struct recorded_hit *h, struct probe *p, unsigned call, struct err *err)
{
	if (!h)
		return -ENOENT;
	h->probe = p;
	h->call = call;
	return listen_to(h, perf_flags(p->needs), on_record, err);
}

int hits_feed(struct probe *p, unsigned call, struct err *err)
{
	return feed(hit_of(p), p, call, err);
}

int hits_feed_record(struct probe *p, struct err *err)
{
	struct recorded_hit *h = hit_of(p);

	return feed(h && h->is_record ? h : NULL, p, 0, err);
}

/* ---- what is known of processes ---- */

static void on_fact(void *arg, const struct perf_sample *sm)
{
	const struct recorded_hit *h = arg;
	struct hits *hs = h->hits;
	const char *text;
	size_t n;

	text = sm->raw ? tpfield_place(h->args[0], sm->raw, sm->rawlen, &n) : NULL;
	if (!text)
		return;
	n = strnlen(text, MIN(n, (size_t)RECORD_MAX));
	memcpy(hs->raw, text, n);
	hs->raw[n] = '\0';
	h->on_fact(h->fact_arg, sm->pid, hs->raw);
}

static bool is_fact(const struct recorded_hit *h, enum hit_fact fact)
{
	return h->is_text && strcmp(h->names[0], HIT_FACT_PROVIDER) == 0 &&
	       strcmp(h->names[2], HIT_FACT_FUNCTION) == 0 &&
	       strcmp(h->names[3], hit_fact_names[fact]) == 0;
}

int hits_feed_fact(struct world *w, enum hit_fact fact, hit_fact_fn *fn, void *arg, struct err *err)
{
	struct recorded_hit *h;
	int rc = 0;

	if (!w->hits)
		read_formats(w);
	for (h = w->hits->first; h && rc == 0; h = h->next) {
		if (!is_fact(h, fact))
			continue;
		h->on_fact = fn;
		h->fact_arg = arg;
		rc = listen_to(h, 0, on_fact, err);
	}
	return rc;
}

const struct provider prov_hits = {
	.name = "hits",
	.on_demand = hits_on_demand,
	.provide = hits_provide,
	.may_come = hits_may_come,
	.suggest = hits_suggest,
	.matches = hits_matches,
	.enable = hits_enable,
	.argtypes = hits_argtypes,
	.free = hits_free,
	.reads_files = true,
};
