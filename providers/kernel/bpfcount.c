#include "providers/kernel/bpfcount.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "dlang/run/aggtable.h"
#include "dlang/run/vm.h"

#define MAX_COUNTED 16384 /* keys and buckets; more become records */
#define AT_ONCE	    1024  /* that are read of the map */

/* A key of the map, and what of it was handed over. */
struct seen {
	struct bpf_count_key key;
	struct bpf_count_value value;
	struct seen *next; /* with the same sum of the key */
};

struct bpf_counter {
	struct session *session;
	const struct bpf_word *words;
	unsigned nwords;
	struct keyed stmts[BPF_COUNT_STMTS];
	struct hash probes; /* by row */
	struct hash seen;
	uint64_t *data; /* of one value; of the largest aggregation */
	unsigned ndata;
	struct bpf_count_key *keys;	/* AT_ONCE */
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

static int member_what(const struct bpf_counter *c, unsigned words, const struct operand *o)
{
	for (unsigned i = 0; i < c->nwords; i++) {
		const struct bpf_word *w = &c->words[i];

		if (w->rows & words && w->is_member && w->arg == o->id && w->off == o->off &&
		    w->size == o->size)
			return BPF_COUNT_WORD + w->word;
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
			 struct bpf_count_operand *to)
{
	int what = BPF_COUNT_CONST;

	if (o->of == OPERAND_BUILTIN)
		what = builtin_what(c, words, o->id);
	else if (o->of == OPERAND_FIELD)
		what = member_what(c, words, o);
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

static bool make_stmt(const struct bpf_counter *c, unsigned words, const struct keyed *k,
		      struct bpf_count *to)
{
	*to = (struct bpf_count){0};
	if (!make_func(k->var, to) || !make_operand(c, words, &k->value, &to->value) ||
	    to->value.what == BPF_COUNT_NAME)
		return false;
	for (unsigned i = 0; i < k->nkeys; i++) {
		if (!make_operand(c, words, &k->keys[i], &to->keys[to->nkeys]))
			return false;
		if (to->keys[to->nkeys].what == BPF_COUNT_NAME)
			to->has_name = 1;
		else
			to->nkeys++;
	}
	return true;
}

void bpf_counter_reset(struct bpf_counter *c, struct bpf_counts *to)
{
	memset(to, 0, sizeof(*to));
	hash_release(&c->probes);
	hash_init(&c->probes);
}

/* Where a statement is among those that are counted: many probes may share it. */
static unsigned place_stmt(struct bpf_counter *c, struct bpf_counts *to, const struct keyed *k,
			   const struct bpf_count *made)
{
	unsigned i = 0;

	while (i < to->n &&
	       (c->stmts[i].stmt != k->stmt || memcmp(&to->v[i], made, sizeof(*made)) != 0))
		i++;
	if (i == BPF_COUNT_STMTS)
		return i;
	if (i == to->n)
		to->n++;
	c->stmts[i] = *k;
	to->v[i] = *made;
	to->asks_who |= asks_who(made);
	return i;
}

unsigned char bpf_counter_add(struct bpf_counter *c, struct bpf_counts *to, unsigned row,
			      unsigned words, const struct probe *p)
{
	struct keyed k[BPF_COUNT_STMTS];
	struct bpf_count made[BPF_COUNT_STMTS];
	unsigned n = probe_keyed(p, k, BPF_COUNT_STMTS), at;
	unsigned char stmts = 0;

	for (unsigned i = 0; i < n; i++)
		if (!make_stmt(c, words, &k[i], &made[i]))
			return 0;
	for (unsigned i = 0; i < n; i++) {
		at = place_stmt(c, to, &k[i], &made[i]);
		if (at == BPF_COUNT_STMTS)
			return 0;
		stmts |= (unsigned char)(1U << at);
	}
	if (stmts)
		hash_put(&c->probes, row, (void *)(uintptr_t)p);
	return stmts;
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

void bpf_counter_size(struct bpf_object *o, struct bpf_counts *counts)
{
	struct bpf_map *map = bpf_object__find_map_by_name(o, "counted");

	for (unsigned i = 0; i < BPF_COUNT_ROWS; i++)
		counts->plain[i] = plain_stmt(counts, i);
	if (map)
		bpf_map__set_max_entries(map, counts->n ? MAX_COUNTED : 1);
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
	c->data[0] = var->func->id == AGG_SUM ? news.sum : news.n;
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

static void hand_over(struct bpf_counter *c, struct bpf *b, const struct bpf_count_key *key,
		      struct bpf_count_value news)
{
	const struct keyed *k = &c->stmts[key->stmt];
	struct probe *p = hash_get(&c->probes, key->row);
	const struct bpf_head head = {
		.time_ns = session_now(c->session), .pid = key->pid, .tid = key->pid};
	const struct claimed claimed = {
		.ecb = p ? ecb_of(p, k->stmt) : NULL,
		.stmt = k->stmt,
		.keys = (const uint64_t *)key->words,
		.data = data_of(c, k->var, key->bucket, news),
		.times = news.n,
	};
	struct taskinfo named;
	struct event ev;

	if (!claimed.ecb)
		return;
	bpf_event_init(b, &ev, &head);
	ev.probe = p;
	if (key->name[0] && (pid_t)key->pid != c->session->front_pid && ev.task) {
		named = *ev.task;
		memcpy(named.comm, key->name, sizeof(named.comm));
		ev.task = &named;
	}
	event_merge(c->session, &ev, &claimed);
}

/* Of all CPUs together. */
static void take(struct bpf_counter *c, struct bpf *b, const struct bpf_count_key *key,
		 const struct bpf_count_value *values)
{
	struct bpf_count_value sum = {0, 0}, news;
	struct seen *s;

	for (int i = 0; i < c->ncpus; i++) {
		sum.n += values[i].n;
		sum.sum += values[i].sum;
	}
	s = find_seen(c, key);
	news.n = sum.n - s->value.n;
	news.sum = sum.sum - s->value.sum;
	s->value = sum;
	if (news.n && key->stmt < BPF_COUNT_STMTS)
		hand_over(c, b, key, news);
}

static void collect_plain(struct bpf_counter *c, struct bpf *b, const struct bpf_counts *counts,
			  int fd)
{
	for (uint32_t row = 0; row < BPF_COUNT_ROWS && fd >= 0; row++) {
		const struct bpf_count_key key = {.row = row,
						  .stmt = counts->plain[row] % BPF_COUNT_STMTS};

		if (counts->plain[row] && bpf_map_lookup_elem(fd, &row, c->values) == 0)
			take(c, b, &key, c->values);
	}
}

void bpf_counter_collect(struct bpf_counter *c, struct bpf *b, const struct bpf_counts *counts,
			 int map_fd, int plain_fd)
{
	uint32_t n, batch, *from = NULL;
	int rc;

	if (map_fd < 0)
		return;
	if (!c->keys) {
		c->ncpus = libbpf_num_possible_cpus();
		c->keys = xcalloc(AT_ONCE, sizeof(*c->keys));
		c->values = xcalloc((size_t)AT_ONCE * (size_t)c->ncpus, sizeof(*c->values));
	}
	collect_plain(c, b, counts, plain_fd);
	do {
		n = AT_ONCE;
		rc = bpf_map_lookup_batch(map_fd, from, &batch, c->keys, c->values, &n, NULL);
		for (uint32_t i = 0; i < n && (rc == 0 || errno == ENOENT); i++)
			take(c, b, &c->keys[i], &c->values[(size_t)i * (size_t)c->ncpus]);
		from = &batch;
	} while (rc == 0);
}
