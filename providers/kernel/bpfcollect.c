/* bpfcollect.c: what BPF programs have counted is handed over to the engine (bpfcount.h). */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>

#include "dlang/run/aggtable.h"
#include "providers/kernel/bpfcount_priv.h"
#include "providers/kernel/perf.h"
#include "providers/world/kernsyms.h"

#define AT_ONCE 1024 /* that are read of the map */

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
static const uint64_t *data_of(struct bpf_counter *c, const struct aggvar *var,
			       const struct bpf_count *of, unsigned bucket,
			       const struct bpf_count_squares *news)
{
	const enum aggfunc_id id = var->func->id;
	const bool has_number = id == AGG_COUNT || id == AGG_AVG || id == AGG_STDDEV;

	if (c->ndata < var->nwords) {
		c->ndata = MAX(var->nwords, 4U);
		c->data = xrealloc(c->data, c->ndata * sizeof(*c->data));
	}
	memset(c->data, 0, c->ndata * sizeof(*c->data));
	if (var->func->hist) {
		if (bucket < var->nwords)
			c->data[bucket] = of->is_weighted ? news->value.sum : news->value.n;
		return c->data;
	}
	c->data[0] = has_number ? news->value.n : news->value.sum;
	if (id == AGG_AVG || id == AGG_STDDEV)
		c->data[1] = news->value.sum;
	c->data[2] = news->low;
	c->data[3] = news->high;
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
		const struct bpf_count_part *p = &cd->parts[i];

		memcpy((char *)c->record + p->off, &key->words[p->key], p->size);
		ev->args[p->arg] = (uintptr_t)c->record;
	}
	ev->raw = c->record;
	ev->rawlen = c->record_size;
}

enum { STACK_BYTES, STACK_TIME, STACK_FRAMES };

/* Returns how many frames; 0: it has none, or is not there. */
static unsigned read_stack(const struct bpf_counter *c, const void *words, uint64_t *to)
{
	if (bpf_map_lookup_elem(c->stacks_fd, words, to) < 0)
		to[STACK_BYTES] = to[STACK_TIME] = 0;
	return (unsigned)(MIN(to[STACK_BYTES], c->stack_size - STACK_FRAMES * 8) / 8);
}

static void set_stack(struct bpf_counter *c, const struct counted *cd,
		      const struct bpf_count_key *key, struct event *ev)
{
	if (!cd->made.has_stack)
		return;
	ev->nkpcs = read_stack(c, &key->words[cd->made.stack_at], c->stack);
	ev->kpcs = c->stack + STACK_FRAMES;
	world_trim_stack(world_of(c->session), &ev->kpcs, &ev->nkpcs);
}

/* Before the event is made: its time is that of the stack, with what its process had mapped then.
 */
static void find_ustack(struct bpf_counter *c, const struct counted *cd,
			const struct bpf_count_key *key, struct bpf_head *head)
{
	if (!cd->made.has_ustack)
		return;
	c->user = (struct userstack){
		.nchain = read_stack(c, &key->words[cd->made.ustack_at], c->ustack),
		.chain = c->ustack + STACK_FRAMES};
	if (c->ustack[STACK_TIME])
		head->time_ns = c->ustack[STACK_TIME];
	perf_go_back(world_of(c->session)->perf, (pid_t)head->pid, head->time_ns);
}

/* What two words stand for. */
static const char *copied_text(const struct bpf_counter *c, const void *words, unsigned nth)
{
	char *to = c->texts + nth * c->text_size;

	if (bpf_map_lookup_elem(c->texts_fd, words, to) < 0)
		to[0] = '\0';
	to[c->text_size - 1] = '\0';
	return to;
}

/* Returns how many. */
static unsigned make_texts(const struct bpf_counter *c, const struct counted *cd,
			   const struct bpf_count_key *key, struct claimed_text *to)
{
	for (unsigned i = 0; i < cd->made.ntexts; i++) {
		const struct bpf_count_text *t = &cd->made.texts[i];
		const void *words = &key->words[t->at];

		to[i].key = t->key;
		to[i].text = t->is_copied ? copied_text(c, words, i)
			     : t->texts	  ? t->texts + key->words[t->at]
					  : words;
	}
	return cd->made.ntexts;
}

static void hand_over(struct bpf_counter *c, struct bpf *b, const struct bpf_count *of,
		      const struct bpf_count_key *key, const struct bpf_count_squares *news)
{
	const struct counted *cd = &c->stmts[key->stmt];
	const struct keyed *k = &cd->keyed;
	struct probe *p = hash_get(&c->probes, key->row);
	struct bpf_head head = {
		.time_ns = session_now(c->session), .pid = key->pid, .tid = key->pid};
	struct claimed_text texts[BPF_COUNT_TEXTS];
	const struct claimed claimed = {
		.ecb = p ? ecb_of(p, k->stmt) : NULL,
		.stmt = k->stmt,
		.keys = (const uint64_t *)key->words,
		.data = data_of(c, k->var, of, key->bucket, news),
		.times = news->value.n,
		.texts = texts,
		.ntexts = make_texts(c, cd, key, texts),
		.reach = CLAIM_ALL_PROCESSES,
	};
	struct taskinfo named;
	struct event ev;

	if (!claimed.ecb)
		return;
	find_ustack(c, cd, key, &head);
	bpf_event_init(b, &ev, &head);
	ev.probe = p;
	set_record(c, cd, key, &ev);
	if (cd->made.has_interned && c->interned)
		c->interned(c->interned_arg, &key->words[cd->made.interned_at], &ev);
	set_stack(c, cd, key, &ev);
	if (cd->made.has_ustack)
		perf_event_user(&ev, &c->user);
	if (key->name[0] && (pid_t)key->pid != c->session->front_pid && ev.task) {
		named = *ev.task;
		memcpy(named.comm, key->name, sizeof(named.comm));
		ev.task = &named;
	}
	event_merge(c->session, &ev, &claimed);
	if (cd->made.has_ustack)
		perf_go_back(world_of(c->session)->perf, 0, 0);
}

/* What a CPU has comes to what others have. */
static void add_value(struct bpf_count_squares *to, const struct bpf_count_squares *v,
		      unsigned func)
{
	const int64_t a = (int64_t)to->value.sum, b = (int64_t)v->value.sum;

	if (!v->value.n)
		return;
	if (func == BPF_COUNT_MIN)
		to->value.sum = (uint64_t)(to->value.n ? MIN(a, b) : b);
	else if (func == BPF_COUNT_MAX)
		to->value.sum = (uint64_t)(to->value.n ? MAX(a, b) : b);
	else
		to->value.sum += v->value.sum;
	to->value.n += v->value.n;
	to->low += v->low;
	to->high += v->high + (to->low < v->low);
}

/* What came to it since. */
static struct bpf_count_squares news_of(const struct bpf_count_squares *now,
					const struct bpf_count_squares *then, bool is_extreme)
{
	struct bpf_count_squares news = *now;

	news.value.n -= then->value.n;
	if (!is_extreme)
		news.value.sum -= then->value.sum;
	news.low -= then->low;
	news.high -= then->high + (now->low < then->low);
	return news;
}

static bool is_extreme(const struct bpf_count *of)
{
	return of->func == BPF_COUNT_MIN || of->func == BPF_COUNT_MAX;
}

static void take_news(struct bpf_counter *c, struct bpf *b, const struct bpf_count_key *key,
		      const struct bpf_count_squares *now, const struct bpf_count_squares *then)
{
	const struct bpf_count *of = &c->stmts[key->stmt % BPF_COUNT_MADE].count;
	const struct bpf_count_squares news = news_of(now, then, is_extreme(of));

	/* a program may have been between the two: then the rest of the sum comes alone */
	if ((news.value.n || news.low || news.high || (news.value.sum && !is_extreme(of))) &&
	    key->stmt < c->nstmts)
		hand_over(c, b, of, key, &news);
}

/* Of all CPUs together, of values of that size. */
static void take(struct bpf_counter *c, struct bpf *b, const struct bpf_count_key *key,
		 const char *values, size_t size)
{
	const struct bpf_count *of = &c->stmts[key->stmt % BPF_COUNT_MADE].count;
	struct bpf_count_squares sum = {.low = 0}, one = {.low = 0};
	struct seen *s = find_seen(c, key);

	for (int i = 0; i < c->ncpus; i++) {
		memcpy(&one, values + (size_t)i * size, size);
		add_value(&sum, &one, of->func);
	}
	take_news(c, b, key, &sum, &s->value);
	s->value = sum;
}

static void collect_plain(struct bpf_counter *c, struct bpf *b, const struct bpf_counts *counts,
			  int fd)
{
	for (uint32_t row = 0; row < BPF_COUNT_ROWS && fd >= 0; row++) {
		const struct bpf_count_key key = {.row = row,
						  .stmt = counts->plain[row] % BPF_COUNT_STMTS};

		if (counts->plain[row] && bpf_map_lookup_elem(fd, &row, c->values) == 0)
			take(c, b, &key, c->values, sizeof(struct bpf_count_value));
	}
}

/* The kernel copies from the front, word by word: where a key is said to be written, all of it has
 * been copied. */
static void take_place(struct bpf_counter *c, struct bpf *b, const struct bpf_count_place *p,
		       struct bpf_count_value *seen)
{
	if (p->state != BPF_PLACE_TAKEN)
		return;
	take_news(c, b, &p->key, &(struct bpf_count_squares){.value = p->value},
		  &(struct bpf_count_squares){.value = *seen});
	*seen = p->value;
}

static void collect_places(struct bpf_counter *c, struct bpf *b, int fd)
{
	const struct bpf_count_place *all = (const void *)c->values;
	uint32_t n = BPF_COUNT_PLACES, batch;

	_Static_assert(BPF_COUNT_PLACES * sizeof(*all) <=
			       AT_ONCE * sizeof(struct bpf_count_squares),
		       "room");
	if (!c->places)
		c->places =
			xcalloc((size_t)BPF_COUNT_PLACES * (size_t)c->ncpus, sizeof(*c->places));
	/* one call: an idle run is to stay one */
	if (bpf_map_lookup_batch(fd, NULL, &batch, c->keys, c->values, &n, NULL) < 0 &&
	    errno != ENOENT)
		return;
	for (size_t i = 0; i < n * (size_t)c->ncpus; i++)
		take_place(c, b, &all[i], &c->places[i]);
}

/* Room for what is read of maps. */
static void prepare(struct bpf_counter *c)
{
	if (c->keys)
		return;
	c->ncpus = libbpf_num_possible_cpus();
	c->keys = xcalloc(AT_ONCE, sizeof(struct bpf_count_key));
	c->values = xcalloc((size_t)AT_ONCE * (size_t)c->ncpus, sizeof(struct bpf_count_squares));
}

void bpf_counter_collect_map(struct bpf_counter *c, struct bpf *b, int fd)
{
	const size_t size = bpf_count_key_size(c), each = bpf_count_value_size(c);
	uint32_t n, batch, *from = NULL;
	struct bpf_count_key key = {0};
	int rc;

	if (fd < 0)
		return;
	prepare(c);
	do {
		n = AT_ONCE;
		rc = bpf_map_lookup_batch(fd, from, &batch, c->keys, c->values, &n, NULL);
		for (uint32_t i = 0; i < n && (rc == 0 || errno == ENOENT); i++) {
			memcpy(&key, c->keys + i * size, size);
			take(c, b, &key, c->values + i * each * (size_t)c->ncpus, each);
		}
		from = &batch;
	} while (rc == 0);
}

void bpf_counter_collect(struct bpf_counter *c, struct bpf *b, const struct bpf_counts *counts,
			 const char *object)
{
	const int fd = bpf_map(b, object, "counted");

	if (fd < 0)
		return;
	prepare(c);
	collect_plain(c, b, counts, bpf_map(b, object, "counted_plain"));
	collect_places(c, b, bpf_map(b, object, "counted_first"));
	bpf_counter_collect_map(c, b, fd);
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
