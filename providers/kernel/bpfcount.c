#include "providers/kernel/bpfcount_priv.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>

#include "dlang/run/aggtable.h"
#include "dlang/run/vm.h"

#define MAX_COUNTED 16384 /* keys and buckets; more become records */

struct bpf_counter *bpf_counter_new(struct session *s, const struct bpf_word *words,
				    unsigned nwords)
{
	struct bpf_counter *c = xcalloc(1, sizeof(*c));

	c->session = s;
	c->words = words;
	c->nwords = nwords;
	hash_init(&c->seen);
	hash_init(&c->probes);
	return c;
}

void bpf_counter_free(struct bpf_counter *c)
{
	struct seen *s;
	uint64_t key;

	if (!c)
		return;
	for (size_t i = 0; (s = hash_each(&c->seen, &i, &key));)
		while (s) {
			struct seen *next = s->next;

			free(s);
			s = next;
		}
	hash_release(&c->seen);
	hash_release(&c->probes);
	free(c->data);
	free(c->record);
	free(c->stack);
	free(c->ustack);
	free(c->texts);
	free(c->keys);
	free(c->values);
	free(c->places);
	free(c);
}

/* ---- what is counted ---- */

/* -1: programs do not have it */
static int builtin_what(const struct bpf_counter *c, unsigned words, unsigned id)
{
	switch (id) {
	case BUILTIN_PID:
		return BPF_COUNT_PID;
	case BUILTIN_TID:
		return BPF_COUNT_TID;
	case BUILTIN_CPU:
		return BPF_COUNT_CPU;
	case BUILTIN_EXECNAME:
		return BPF_COUNT_NAME;
	}
	for (unsigned i = 0; i < c->nwords; i++)
		if (c->words[i].rows & words && !c->words[i].is_member &&
		    id == (unsigned)BUILTIN_ARG0 + c->words[i].arg)
			return BPF_COUNT_WORD + c->words[i].word;
	return -1;
}

static int member_what(const struct bpf_counter *c, unsigned words, unsigned arg, int64_t off,
		       unsigned size, unsigned *besides)
{
	for (unsigned i = 0; i < c->nwords; i++) {
		const struct bpf_word *w = &c->words[i];

		if (w->rows & words && w->is_member && w->arg == arg && w->off == off &&
		    w->size == size) {
			*besides |= w->besides ? 1U << w->besides : 0;
			return BPF_COUNT_WORD + w->word;
		}
	}
	return -1;
}

static unsigned char unused_bits(const struct operand *o)
{
	if (o->nbits)
		return (unsigned char)(64 - o->nbits);
	return o->of == OPERAND_FIELD ? (unsigned char)(64 - 8 * o->size) : 0;
}

static bool make_operand(const struct bpf_counter *c, unsigned words, const struct operand *o,
			 struct bpf_count_operand *to, unsigned *besides)
{
	int what = BPF_COUNT_CONST;

	if (o->of == OPERAND_BUILTIN)
		what = builtin_what(c, words, o->id);
	else if (o->of == OPERAND_FIELD)
		what = member_what(c, words, o->id, o->off, o->size, besides);
	*to = (struct bpf_count_operand){
		.what = (unsigned)what,
		.is_signed = o->is_signed,
		.unused_bits = unused_bits(o),
		.value = o->value,
		.mask = o->mask,
	};
	/* programs cut words alone */
	return what >= BPF_COUNT_WORD || (what >= 0 && !o->nbits);
}

static bool is_of_thread(const struct bpf_count_operand *o)
{
	return o->what == BPF_COUNT_PID || o->what == BPF_COUNT_TID;
}

static bool asks_who(const struct bpf_count *v)
{
	bool asks = v->has_name || is_of_thread(&v->value);

	for (unsigned i = 0; i < v->nkeys; i++)
		asks |= is_of_thread(&v->keys[i]);
	return asks;
}

static unsigned asked_word(const struct bpf_count_operand *o)
{
	return o->what >= BPF_COUNT_WORD ? 1U << (o->what - BPF_COUNT_WORD) : 0;
}

static unsigned asked_words(const struct bpf_count *v)
{
	unsigned words = asked_word(&v->value);

	for (unsigned i = 0; i < v->nkeys; i++)
		words |= asked_word(&v->keys[i]);
	return words;
}

static bool make_func(const struct aggvar *var, struct bpf_count *to)
{
	switch (var->func->id) {
	case AGG_COUNT:
	case AGG_SUM:
	case AGG_AVG:
		to->func = BPF_COUNT_SUM;
		return true;
	case AGG_QUANTIZE:
		to->func = BPF_COUNT_QUANTIZE;
		return true;
	case AGG_LQUANTIZE:
		to->func = BPF_COUNT_LQUANTIZE;
		to->base = var->params[0];
		to->step = var->params[2];
		to->levels = var->func->hist->nbuckets(var->params) - 2;
		return to->levels < UINT16_MAX - 2;
	default: /* what a map cannot take back */
		return false;
	}
}

/* The words a text is made of, behind those that are keys themselves; two texts may share some. */
static bool add_part(struct counted *cd, struct bpf_count *to, unsigned what,
		     const struct bpf_count_part *p)
{
	const unsigned first = cd->keyed.nkeys - to->has_name, n = (p->size + 7) / 8;
	struct bpf_count_part *part = &cd->parts[cd->nparts];
	unsigned at = first;

	if (cd->nparts == BPF_COUNT_KEYS)
		return false;
	while (at < to->nkeys && to->keys[at].what != what)
		at++;
	if (at == to->nkeys && at + n > BPF_COUNT_KEYS)
		return false;
	*part = *p;
	part->key = at;
	cd->nparts++;
	if (at < to->nkeys)
		return true;
	for (unsigned i = 0; i < n; i++)
		to->keys[to->nkeys++] = (struct bpf_count_operand){.what = what + i};
	return true;
}

/* Of the text that begins with this word, in bytes. */
static unsigned text_room(const struct bpf_counter *c, unsigned word)
{
	for (unsigned i = 0; i < c->nwords; i++)
		if (c->words[i].word == word && !c->words[i].size)
			return 8 * bpf_word_length(&c->words[i]);
	return BPF_TEXT_ROOM;
}

static bool make_text(const struct bpf_counter *c, unsigned words, const struct derived *text,
		      struct counted *cd, struct bpf_count *to)
{
	for (unsigned i = 0; i < text->n; i++) {
		const unsigned size = text->v[i].size;
		struct bpf_count_part part = {
			.arg = text->v[i].id, .size = size, .off = (size_t)text->v[i].off};
		int what = member_what(c, words, part.arg, text->v[i].off, size, &cd->besides);

		if (what < 0)
			return false;
		if (!size)
			part.size = text_room(c, (unsigned)what - BPF_COUNT_WORD);
		if (!add_part(cd, to, (unsigned)what, &part))
			return false;
	}
	return true;
}

static bool make_stmt(const struct bpf_counter *c, unsigned words, struct counted *cd)
{
	const struct keyed *k = &cd->keyed;
	struct bpf_count *to = &cd->count;

	*to = (struct bpf_count){0};
	cd->nparts = cd->besides = 0;
	cd->made = (struct bpf_count_keys){.n = 0};
	if (!make_func(k->var, to) ||
	    !make_operand(c, words, &k->value, &to->value, &cd->besides) ||
	    to->value.what == BPF_COUNT_NAME)
		return false;
	for (unsigned i = 0; i < k->nkeys; i++) {
		if (!make_operand(c, words, &k->keys[i], &to->keys[to->nkeys], &cd->besides))
			return false;
		if (to->keys[to->nkeys].what == BPF_COUNT_NAME)
			to->has_name = 1;
		else
			to->nkeys++;
	}
	for (unsigned i = 0; i < k->ntexts; i++)
		if (!make_text(c, words, &k->texts[i], cd, to))
			return false;
	return true;
}

void bpf_counter_reset(struct bpf_counter *c, struct bpf_counts *to)
{
	memset(to, 0, sizeof(*to));
	hash_release(&c->probes);
	hash_init(&c->probes);
	c->nstmts = 0;
}

/* Where a statement is among those that are counted, of which there may be `max`: many probes may
 * share it. */
static unsigned place_stmt(struct bpf_counter *c, unsigned max, const struct counted *cd)
{
	unsigned i = 0;

	while (i < c->nstmts && (c->stmts[i].keyed.stmt != cd->keyed.stmt ||
				 memcmp(&c->stmts[i].count, &cd->count, sizeof(cd->count)) != 0))
		i++;
	if (i == max)
		return i;
	c->stmts[i] = *cd;
	c->nstmts = MAX(c->nstmts, i + 1);
	return i;
}

/* False: there is no room. */
static bool add_stmt(struct bpf_counter *c, struct bpf_counts *to, const struct counted *cd,
		     unsigned char *stmts)
{
	const unsigned at = place_stmt(c, BPF_COUNT_STMTS, cd);

	if (at == BPF_COUNT_STMTS)
		return false;
	to->v[at] = cd->count;
	to->n = c->nstmts;
	to->asks_who |= asks_who(&cd->count);
	to->words |= asked_words(&cd->count) | cd->besides;
	*stmts |= (unsigned char)(1U << at);
	return true;
}

unsigned char bpf_counter_add(struct bpf_counter *c, struct bpf_counts *to, unsigned row,
			      unsigned words, const struct probe *p)
{
	struct keyed k[BPF_COUNT_STMTS];
	struct counted cd[BPF_COUNT_STMTS];
	unsigned n = probe_keyed(p, k, BPF_COUNT_STMTS);
	unsigned char stmts = 0;

	for (unsigned i = 0; i < n; i++) {
		cd[i].keyed = k[i];
		if (!make_stmt(c, words, &cd[i]))
			return 0;
	}
	for (unsigned i = 0; i < n; i++)
		if (!add_stmt(c, to, &cd[i], &stmts))
			return 0;
	if (stmts)
		hash_put(&c->probes, row, (void *)(uintptr_t)p);
	return stmts;
}

/* What a map cannot forget again, as it has the smallest value of all there were. */
static bool make_extreme(const struct session *s, const struct aggvar *var, struct bpf_count *to)
{
	if (var->func->id != AGG_MIN && var->func->id != AGG_MAX)
		return false;
	to->func = var->func->id == AGG_MIN ? BPF_COUNT_MIN : BPF_COUNT_MAX;
	for (const struct program *pg = s->programs; pg; pg = pg->next)
		for (const struct clause *c = pg->clauses; c; c = c->next)
			if (c->forgets_aggs)
				return false;
	return true;
}

/* Of which only programs know that are made for their statement. */
static bool make_others(const struct aggvar *var, struct bpf_count *to)
{
	if (var->func->id == AGG_STDDEV) {
		to->func = BPF_COUNT_STDDEV;
		return true;
	}
	to->func = BPF_COUNT_LLQUANTIZE;
	return var->func->id == AGG_LLQUANTIZE &&
	       var->func->hist->nbuckets(var->params) < UINT16_MAX;
}

int bpf_counter_place(const struct session *s, struct bpf_counter *c, const struct stmt *st,
		      const struct bpf_count_keys *keys, struct bpf_count *made)
{
	struct counted cd = {.keyed = {.stmt = st, .var = st->aggs[0]}, .made = *keys};
	unsigned at;

	*made = (struct bpf_count){.nkeys = keys->n, .has_name = keys->has_name};
	if (!make_func(st->aggs[0], made) && !make_extreme(s, st->aggs[0], made) &&
	    !make_others(st->aggs[0], made))
		return -1;
	made->is_weighted = st->acts[st->nacts - 1].incr != NULL;
	if (!c)
		return 0;
	cd.count = *made;
	cd.nparts = keys->nparts;
	memcpy(cd.parts, keys->parts, sizeof(cd.parts));
	at = place_stmt(c, BPF_COUNT_MADE, &cd);
	return at == BPF_COUNT_MADE ? -1 : (int)at;
}

const struct stmt *bpf_counter_statement(const struct bpf_counter *c, unsigned number)
{
	return number < c->nstmts ? c->stmts[number].keyed.stmt : NULL;
}

void bpf_counter_stacks(struct bpf_counter *c, int fd, size_t size)
{
	c->stacks_fd = fd;
	c->stack_size = size;
	c->stack = xcalloc(1, size);
	c->ustack = xcalloc(1, size);
}

void bpf_counter_texts(struct bpf_counter *c, int fd, size_t size)
{
	c->texts_fd = fd;
	c->text_size = size;
	c->texts = xcalloc(BPF_COUNT_TEXTS, size);
}

void bpf_counter_interned(struct bpf_counter *c, bpf_interned_fn *fn, void *arg)
{
	c->interned = fn;
	c->interned_arg = arg;
}

void bpf_counter_row(struct bpf_counter *c, unsigned row, const struct probe *p)
{
	hash_put(&c->probes, row, (void *)(uintptr_t)p);
}

/* The only statement, if it needs no key, in the form of bpf_counts.plain. */
static unsigned char plain_stmt(const struct bpf_counts *counts, unsigned row)
{
	const unsigned stmts = counts->stmts[row];
	const struct bpf_count *v = counts->v;

	for (unsigned i = 0; i < counts->n; i++)
		if (stmts == 1U << i && v[i].func == BPF_COUNT_SUM && !v[i].nkeys && !v[i].has_name)
			return (unsigned char)(i | BPF_COUNT_PLAIN);
	return 0;
}

size_t bpf_count_key_size(const struct bpf_counter *c)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->nstmts; i++)
		n = MAX(n, c->stmts[i].count.nkeys);
	return offsetof(struct bpf_count_key, words) + n * sizeof(uint64_t);
}

size_t bpf_count_value_size(const struct bpf_counter *c)
{
	size_t size = sizeof(struct bpf_count_value);

	for (unsigned i = 0; i < c->nstmts; i++)
		if (c->stmts[i].count.func == BPF_COUNT_STDDEV)
			size = sizeof(struct bpf_count_squares);
	return size;
}

int bpf_counter_map(const struct bpf_counter *c, uint32_t nentries)
{
	int fd =
		bpf_map_create(BPF_MAP_TYPE_PERCPU_HASH, "counted", (uint32_t)bpf_count_key_size(c),
			       (uint32_t)bpf_count_value_size(c), nentries, NULL);

	return fd < 0 ? -errno : fd;
}

void bpf_counter_size(const struct bpf_counter *c, struct bpf_object *o, struct bpf_counts *counts)
{
	struct bpf_map *map = bpf_object__find_map_by_name(o, "counted");
	struct bpf_map *first = bpf_object__find_map_by_name(o, "counted_first");

	for (unsigned i = 0; i < BPF_COUNT_ROWS; i++)
		counts->plain[i] = plain_stmt(counts, i);
	if (!map)
		return;
	bpf_map__set_max_entries(map, counts->n ? MAX_COUNTED : 1);
	bpf_map__set_key_size(map, (uint32_t)bpf_count_key_size(c));
	bpf_map__set_max_entries(first, counts->n ? BPF_COUNT_PLACES : 1);
}
