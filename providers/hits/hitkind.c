/*
 * hitkind.c: a probe of ours as an event of the file that a run makes: its number, its name and its
 * format.
 */
#include "providers/hits/hitlog_priv.h"

#include "base/glob.h"
#include "providers/kernel/perf.h"
#include "providers/perfwrite/perfwrite.h"
#include "providers/world/userstack.h"
#include "symbols/dwarf/types.h"

/* Numbers of events: those of tracepoints are given from 1 on, and are 16 bits of a record. */
#define NUMBER_MAX 65535

/* Ids of samples: the kernel counts from 1. */
#define FIRST_ID (UINT64_C(1) << 62)

#define RETURN_ARGS 3 /* where, and the result */

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

struct hit_kind *hit_kind_new(struct hitlog *l, struct probe *p)
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
