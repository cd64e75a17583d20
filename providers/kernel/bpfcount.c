#include "providers/kernel/bpfcount.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "dlang/run/aggtable.h"
#include "dlang/run/vm.h"
#include "providers/world/kernsyms.h"

#define MAX_COUNTED 16384 /* keys and buckets; more become records */
#define AT_ONCE	    1024  /* that are read of the map */

/* A key of the map, and what of it was handed over. */
struct seen {
	struct bpf_count_key key;
	struct bpf_count_value value;
	struct seen *next; /* with the same sum of the key */
};

/* Part of a text: bytes of the record, from a word of the key on. */
struct part {
	unsigned arg, key, size;
	size_t off;
};
#define PARTS (BPF_COUNT_KEYS)

/* A statement that is counted. */
struct counted {
	struct keyed keyed;
	struct part parts[PARTS];
	unsigned nparts;
	unsigned besides;	    /* bits of bpf_counts.words */
	struct bpf_count_keys made; /* of programs that were made for it */
};

struct bpf_counter {
	struct session *session;
	const struct bpf_word *words;
	unsigned nwords;
	struct counted stmts[BPF_COUNT_STMTS];
	struct hash probes; /* by row */
	struct hash seen;
	uint64_t *data; /* of one value; of the largest aggregation */
	unsigned ndata;
	uint64_t *record; /* what of it texts are made of */
	size_t record_size;
	int stacks_fd;
	uint64_t *stack; /* one of its elements */
	size_t stack_size;
	char *keys;			/* AT_ONCE */
	struct bpf_count_value *values; /* the same, for each of the CPUs */
	int ncpus;
};

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
	free(c->keys);
	free(c->values);
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
static bool add_part(struct counted *cd, struct bpf_count *to, unsigned what, const struct part *p)
{
	const unsigned first = cd->keyed.nkeys - to->has_name, n = (p->size + 7) / 8;
	struct part *part = &cd->parts[cd->nparts];
	unsigned at = first;

	if (cd->nparts == PARTS)
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
		struct part part = {
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

static bool make_stmt(const struct bpf_counter *c, unsigned words, struct counted *cd,
		      struct bpf_count *to)
{
	const struct keyed *k = &cd->keyed;

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
}

/* Where a statement is among those that are counted: many probes may share it. */
static unsigned place_stmt(struct bpf_counter *c, struct bpf_counts *to, const struct counted *cd,
			   const struct bpf_count *made)
{
	unsigned i = 0;

	while (i < to->n && (c->stmts[i].keyed.stmt != cd->keyed.stmt ||
			     memcmp(&to->v[i], made, sizeof(*made)) != 0))
		i++;
	if (i == BPF_COUNT_STMTS)
		return i;
	if (i == to->n)
		to->n++;
	c->stmts[i] = *cd;
	to->v[i] = *made;
	to->asks_who |= asks_who(made);
	to->words |= asked_words(made) | cd->besides;
	return i;
}

unsigned char bpf_counter_add(struct bpf_counter *c, struct bpf_counts *to, unsigned row,
			      unsigned words, const struct probe *p)
{
	struct keyed k[BPF_COUNT_STMTS];
	struct counted cd[BPF_COUNT_STMTS];
	struct bpf_count made[BPF_COUNT_STMTS];
	unsigned n = probe_keyed(p, k, BPF_COUNT_STMTS), at;
	unsigned char stmts = 0;

	for (unsigned i = 0; i < n; i++) {
		cd[i].keyed = k[i];
		if (!make_stmt(c, words, &cd[i], &made[i]))
			return 0;
	}
	for (unsigned i = 0; i < n; i++) {
		at = place_stmt(c, to, &cd[i], &made[i]);
		if (at == BPF_COUNT_STMTS)
			return 0;
		stmts |= (unsigned char)(1U << at);
	}
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
static bool make_llquantize(const struct aggvar *var, struct bpf_count *to)
{
	to->func = BPF_COUNT_LLQUANTIZE;
	return var->func->id == AGG_LLQUANTIZE &&
	       var->func->hist->nbuckets(var->params) < UINT16_MAX;
}

int bpf_counter_place(const struct session *s, struct bpf_counter *c, struct bpf_counts *to,
		      const struct stmt *st, const struct bpf_count_keys *keys,
		      struct bpf_count *made)
{
	const struct counted cd = {.keyed = {.stmt = st, .var = st->aggs[0]}, .made = *keys};
	unsigned at;

	*made = (struct bpf_count){.nkeys = keys->n, .has_name = keys->has_name};
	if (!make_func(st->aggs[0], made) && !make_extreme(s, st->aggs[0], made) &&
	    !make_llquantize(st->aggs[0], made))
		return -1;
	if (!c)
		return 0;
	at = place_stmt(c, to, &cd, made);
	return at == BPF_COUNT_STMTS ? -1 : (int)at;
}

void bpf_counter_stacks(struct bpf_counter *c, int fd, size_t size)
{
	c->stacks_fd = fd;
	c->stack_size = size;
	c->stack = xcalloc(1, size);
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

/* Of a key in the map, which is as short as it can be. */
static size_t key_size(const struct bpf_counts *counts)
{
	unsigned n = 0;

	for (unsigned i = 0; i < counts->n; i++)
		n = MAX(n, counts->v[i].nkeys);
	return offsetof(struct bpf_count_key, words) + n * sizeof(uint64_t);
}

int bpf_counter_map(const struct bpf_counts *counts, uint32_t nentries)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_PERCPU_HASH, "counted", (uint32_t)key_size(counts),
				sizeof(struct bpf_count_value), nentries, NULL);

	return fd < 0 ? -errno : fd;
}

void bpf_counter_size(struct bpf_object *o, struct bpf_counts *counts)
{
	struct bpf_map *map = bpf_object__find_map_by_name(o, "counted");

	for (unsigned i = 0; i < BPF_COUNT_ROWS; i++)
		counts->plain[i] = plain_stmt(counts, i);
	if (!map)
		return;
	bpf_map__set_max_entries(map, counts->n ? MAX_COUNTED : 1);
	bpf_map__set_key_size(map, (uint32_t)key_size(counts));
}

/* ---- what was counted ---- */

static struct seen *find_seen(struct bpf_counter *c, const struct bpf_count_key *key)
{
	uint64_t sum = hash_bytes(key, sizeof(*key));
	struct seen *first = hash_get(&c->seen, sum), *s = first;

	while (s && memcmp(&s->key, key, sizeof(*key)) != 0)
		s = s->next;
	if (s)
		return s;
	s = xcalloc(1, sizeof(*s));
	s->key = *key;
	s->next = first;
	hash_put(&c->seen, sum, s);
	return s;
}

/* In the form in which the aggregating function keeps it. */
static const uint64_t *data_of(struct bpf_counter *c, const struct aggvar *var, unsigned bucket,
			       struct bpf_count_value news)
{
	if (c->ndata < var->nwords) {
		c->ndata = MAX(var->nwords, 2U);
		c->data = xrealloc(c->data, c->ndata * sizeof(*c->data));
	}
	memset(c->data, 0, var->nwords * sizeof(*c->data));
	if (var->func->hist) {
		if (bucket < var->nwords)
			c->data[bucket] = news.n;
		return c->data;
	}
	c->data[0] = var->func->id == AGG_COUNT || var->func->id == AGG_AVG ? news.n : news.sum;
	if (var->func->id == AGG_AVG)
		c->data[1] = news.sum;
	return c->data;
}

/* The clause of the probe that has the statement. */
static const struct ecb *ecb_of(const struct probe *p, const struct stmt *st)
{
	const struct ecb *e = p->ecbs;

	while (e && (st < e->clause->stmts || st >= e->clause->stmts + e->clause->nstmts))
		e = e->next;
	return e;
}

/* With what the texts of the statement are made of. */
static void set_record(struct bpf_counter *c, const struct counted *cd,
		       const struct bpf_count_key *key, struct event *ev)
{
	size_t size = 0;

	for (unsigned i = 0; i < cd->nparts; i++)
		size = MAX(size, cd->parts[i].off + cd->parts[i].size);
	if (c->record_size < size) {
		c->record_size = (size + 7) / 8 * 8;
		c->record = xrealloc(c->record, c->record_size);
	}
	if (!size)
		return;
	memset(c->record, 0, c->record_size);
	for (unsigned i = 0; i < cd->nparts; i++) {
		const struct part *p = &cd->parts[i];

		memcpy((char *)c->record + p->off, &key->words[p->key], p->size);
		ev->args[p->arg] = (uintptr_t)c->record;
	}
	ev->raw = c->record;
	ev->rawlen = c->record_size;
}

static void set_stack(struct bpf_counter *c, const struct counted *cd,
		      const struct bpf_count_key *key, struct event *ev)
{
	if (!cd->made.has_stack ||
	    bpf_map_lookup_elem(c->stacks_fd, &key->words[cd->made.stack_at], c->stack) < 0)
		return;
	ev->kpcs = c->stack + 1;
	ev->nkpcs = (unsigned)(MIN(c->stack[0], c->stack_size - 8) / 8);
	world_trim_stack(world_of(c->session), &ev->kpcs, &ev->nkpcs);
}

/* Returns how many. */
static unsigned make_texts(const struct counted *cd, const struct bpf_count_key *key,
			   struct claimed_text *to)
{
	for (unsigned i = 0; i < cd->made.ntexts; i++) {
		const struct bpf_count_text *t = &cd->made.texts[i];

		to[i].key = t->key;
		to[i].text =
			t->texts ? t->texts + key->words[t->at] : (const char *)&key->words[t->at];
	}
	return cd->made.ntexts;
}

static void hand_over(struct bpf_counter *c, struct bpf *b, const struct bpf_count_key *key,
		      struct bpf_count_value news)
{
	const struct counted *cd = &c->stmts[key->stmt];
	const struct keyed *k = &cd->keyed;
	struct probe *p = hash_get(&c->probes, key->row);
	const struct bpf_head head = {
		.time_ns = session_now(c->session), .pid = key->pid, .tid = key->pid};
	struct claimed_text texts[BPF_COUNT_TEXTS];
	const struct claimed claimed = {
		.ecb = p ? ecb_of(p, k->stmt) : NULL,
		.stmt = k->stmt,
		.keys = (const uint64_t *)key->words,
		.data = data_of(c, k->var, key->bucket, news),
		.times = news.n,
		.texts = texts,
		.ntexts = make_texts(cd, key, texts),
	};
	struct taskinfo named;
	struct event ev;

	if (!claimed.ecb)
		return;
	bpf_event_init(b, &ev, &head);
	ev.probe = p;
	set_record(c, cd, key, &ev);
	set_stack(c, cd, key, &ev);
	if (key->name[0] && (pid_t)key->pid != c->session->front_pid && ev.task) {
		named = *ev.task;
		memcpy(named.comm, key->name, sizeof(named.comm));
		ev.task = &named;
	}
	event_merge(c->session, &ev, &claimed);
}

/* What a CPU has comes to what others have. */
static void add_value(struct bpf_count_value *to, const struct bpf_count_value *v, unsigned func)
{
	const int64_t a = (int64_t)to->sum, b = (int64_t)v->sum;

	if (!v->n)
		return;
	if (func == BPF_COUNT_MIN)
		to->sum = (uint64_t)(to->n ? MIN(a, b) : b);
	else if (func == BPF_COUNT_MAX)
		to->sum = (uint64_t)(to->n ? MAX(a, b) : b);
	else
		to->sum += v->sum;
	to->n += v->n;
}

/* Of all CPUs together. */
static void take(struct bpf_counter *c, struct bpf *b, const struct bpf_counts *counts,
		 const struct bpf_count_key *key, const struct bpf_count_value *values)
{
	const unsigned func = key->stmt < BPF_COUNT_STMTS ? counts->v[key->stmt].func : 0;
	const bool is_extreme = func == BPF_COUNT_MIN || func == BPF_COUNT_MAX;
	struct bpf_count_value sum = {0, 0}, news;
	struct seen *s;

	for (int i = 0; i < c->ncpus; i++)
		add_value(&sum, &values[i], func);
	s = find_seen(c, key);
	news.n = sum.n - s->value.n;
	news.sum = is_extreme ? sum.sum : sum.sum - s->value.sum;
	s->value = sum;
	/* a program may have been between the two: then the rest of the sum comes alone */
	if ((news.n || (news.sum && !is_extreme)) && key->stmt < BPF_COUNT_STMTS)
		hand_over(c, b, key, news);
}

static void collect_plain(struct bpf_counter *c, struct bpf *b, const struct bpf_counts *counts,
			  int fd)
{
	for (uint32_t row = 0; row < BPF_COUNT_ROWS && fd >= 0; row++) {
		const struct bpf_count_key key = {.row = row,
						  .stmt = counts->plain[row] % BPF_COUNT_STMTS};

		if (counts->plain[row] && bpf_map_lookup_elem(fd, &row, c->values) == 0)
			take(c, b, counts, &key, c->values);
	}
}

void bpf_counter_collect(struct bpf_counter *c, struct bpf *b, const struct bpf_counts *counts,
			 int map_fd, int plain_fd)
{
	const size_t size = key_size(counts);
	uint32_t n, batch, *from = NULL;
	struct bpf_count_key key = {0};
	int rc;

	if (map_fd < 0)
		return;
	if (!c->keys) {
		c->ncpus = libbpf_num_possible_cpus();
		c->keys = xcalloc(AT_ONCE, sizeof(struct bpf_count_key));
		c->values = xcalloc((size_t)AT_ONCE * (size_t)c->ncpus, sizeof(*c->values));
	}
	collect_plain(c, b, counts, plain_fd);
	do {
		n = AT_ONCE;
		rc = bpf_map_lookup_batch(map_fd, from, &batch, c->keys, c->values, &n, NULL);
		for (uint32_t i = 0; i < n && (rc == 0 || errno == ENOENT); i++) {
			memcpy(&key, c->keys + i * size, size);
			take(c, b, counts, &key, &c->values[(size_t)i * (size_t)c->ncpus]);
		}
		from = &batch;
	} while (rc == 0);
}

bool bpf_sum_of_cpus(int map, uint32_t at, uint64_t *sum)
{
	const int ncpus = libbpf_num_possible_cpus();
	uint64_t *n = xcalloc((size_t)ncpus, sizeof(*n));
	const bool is_there = bpf_map_lookup_elem(map, &at, n) == 0;

	*sum = 0;
	for (int i = 0; i < ncpus; i++)
		*sum += n[i];
	free(n);
	return is_there;
}
