/*
 * fpid_collect.c: what the target has aggregated and counted for clauses (hook/agg_proto.h) is
 * handed over.
 */
#include <stdlib.h>

#include "dlang/offload/claim.h"
#include "dlang/run/aggtable.h"
#include "dlang/run/gaps.h"
#include "providers/fpid/fpid_claims_priv.h"

static bool is_extreme(const struct claim_group *g)
{
	return g->func == HOOK_AGG_MIN || g->func == HOOK_AGG_MAX;
}

static unsigned __int128 wide(const uint64_t *w)
{
	return (unsigned __int128)w[1] << 64 | w[0];
}

static void put_wide(uint64_t *w, unsigned __int128 v)
{
	w[0] = (uint64_t)v;
	w[1] = (uint64_t)(v >> 64);
}

/* Adds the words that one thread keeps to `now`; an extreme is taken away. */
static void add_words(const struct claim_group *g, uint64_t *words, uint64_t *now)
{
	uint64_t w[4] = {0};

	for (unsigned i = 0; i < g->nwords; i++) {
		bool is_taken = is_extreme(g) && i == 1;
		uint64_t *word = &words[i];
		uint64_t v = is_taken ? __atomic_exchange_n(word, 0, __ATOMIC_RELAXED)
				      : __atomic_load_n(word, __ATOMIC_RELAXED);

		if (is_taken)
			now[i] = MAX(now[i], v);
		else if (g->func == HOOK_AGG_STDDEV && i >= 2)
			w[i] = v;
		else
			now[i] += v;
	}
	if (g->func == HOOK_AGG_STDDEV)
		put_wide(&now[2], wide(&now[2]) + wide(&w[2]));
}

/* now becomes what is new in it, and seen what it was. */
static void subtract_seen(const struct claim_group *g, uint64_t *now, uint64_t *seen)
{
	unsigned __int128 squares = 0;

	if (g->func == HOOK_AGG_STDDEV) {
		squares = wide(&now[2]) - wide(&seen[2]);
		memcpy(&seen[2], &now[2], 2 * sizeof(*seen));
	}
	for (unsigned i = 0; i < g->nwords; i++) {
		uint64_t was = seen[i];

		if (is_extreme(g) && i == 1)
			continue;
		seen[i] = now[i];
		now[i] -= was;
	}
	if (g->func == HOOK_AGG_STDDEV)
		put_wide(&now[2], squares);
}

static uint64_t times_of(const struct claim_group *g, const uint64_t *news)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < (g->stmt->aggs[0]->func->hist ? g->nwords : 1); i++)
		n += news[i];
	return n;
}

/* The entries of a thread. */
struct entries {
	const char *at;
	uint64_t used;
};

/* The keys of an entry, sorted: numbers, texts that were chosen, the longest stack. */
struct keys {
	taddr_t pcs[FPID_FRAMES_MAX];
	unsigned npcs;
	bool is_cut;
	uint64_t numbers[HOOK_KEYS_MAX];
	struct claimed_text texts[HOOK_KEYS_MAX];
	unsigned nnumbers, ntexts;
	char read[HOOK_KEYS_MAX][FPID_TEXT_MAX + 1]; /* texts that were read from memory */
};

/* The stack of that number, behind the frame of its probe. False: none of ours. */
static bool read_stack(const struct entries *of, uint64_t number, struct keys *out)
{
	uint64_t at = number - HOOK_ENTRY_ALIGN, word;
	const struct hook_entry *e;
	unsigned n;

	if (at % HOOK_ENTRY_ALIGN || at >= of->used || of->used - at < sizeof(*e) + sizeof(word))
		return false;
	e = (const void *)(of->at + at);
	if (__atomic_load_n(&e->group, __ATOMIC_ACQUIRE) != HOOK_GROUP_STACK)
		return false;
	memcpy(&word, e + 1, sizeof(word));
	n = (uint32_t)word;
	if (n >= FPID_FRAMES_MAX || sizeof(*e) + (1 + (uint64_t)n) * sizeof(word) > of->used - at)
		return false;
	out->is_cut |= (word & HOOK_STACK_CUT) != 0;
	if (1 + n <= out->npcs)
		return true;
	memcpy(out->pcs + 1, (const uint64_t *)(const void *)(e + 1) + 1, n * sizeof(word));
	out->npcs = n && out->pcs[1] < FPID_LOWEST_CODE ? 1 : 1 + n;
	return true;
}

/* The text of that number, as it is now. False: none of ours. */
static bool read_text(const struct entries *of, uint64_t number, char out[FPID_TEXT_MAX + 1])
{
	uint64_t at = number - HOOK_ENTRY_ALIGN, len;
	const struct hook_entry *e;

	if (at % HOOK_ENTRY_ALIGN || at >= of->used || of->used - at < sizeof(*e) + sizeof(len))
		return false;
	e = (const void *)(of->at + at);
	if (__atomic_load_n(&e->group, __ATOMIC_ACQUIRE) != HOOK_GROUP_TEXT)
		return false;
	memcpy(&len, e + 1, sizeof(len));
	if (len > FPID_TEXT_MAX || sizeof(*e) + sizeof(len) + len > of->used - at)
		return false;
	memcpy(out, (const char *)(e + 1) + sizeof(len), len);
	out[len] = '\0';
	return true;
}

static struct entries entries_of(const struct fpid_claims *c, unsigned block)
{
	const struct hooks_tables *t = hooks_tables(c->pp->fpid->hooks);
	uint64_t room;
	const char *table = t ? hooks_table(c->pp->fpid->hooks, block, &room) : NULL;

	if (!table)
		return (struct entries){NULL, 0};
	return (struct entries){
		table + t->words + HOOK_ENTRIES,
		MIN(__atomic_load_n((const uint64_t *)(const void *)table, __ATOMIC_RELAXED),
		    room)};
}

bool fpid_claims_read_text(const struct fpid_claims *c, pid_t tid, uint64_t number,
			   char out[FPID_TEXT_MAX + 1])
{
	const struct entries of = entries_of(c, hooks_block_of_tid(c->pp->fpid->hooks, tid));

	return number & HOOK_TEXT_KEY && read_text(&of, number & ~HOOK_TEXT_KEY, out);
}

/* As the hook makes an entry, but that no slot leads to it: the thread makes its own of the same
 * text. It stands still; what it may be in the midst of is right with a signal handler that does
 * this. */
uint64_t fpid_claims_make_text(const struct fpid_claims *c, pid_t tid, const char *text)
{
	const unsigned block = hooks_block_of_tid(c->pp->fpid->hooks, tid);
	const uint64_t len = strnlen(text, FPID_TEXT_MAX),
		       size = ROUND_UP(sizeof(struct hook_entry) + (2 + len / 8) * sizeof(uint64_t),
				       HOOK_ENTRY_ALIGN);
	struct hook_table *table;
	struct hook_entry *e;
	uint64_t room, at;

	if (!block || !hooks_tables(c->pp->fpid->hooks))
		return 0;
	table = hooks_table(c->pp->fpid->hooks, block, &room);
	if (!table || __atomic_load_n(&table->used, __ATOMIC_RELAXED) + size > room)
		return 0;
	at = __atomic_fetch_add(&table->used, size, __ATOMIC_RELAXED);
	if (at % HOOK_ENTRY_ALIGN || at > room || size > room - at)
		return 0;
	e = (void *)(uintptr_t)(entries_of(c, block).at + at);
	memset(e + 1, 0, size - sizeof(*e));
	memcpy(e + 1, &len, sizeof(len));
	memcpy((char *)(e + 1) + sizeof(len), text, len);
	e->size = (uint32_t)size;
	__atomic_store_n(&e->group, HOOK_GROUP_TEXT, __ATOMIC_RELEASE);
	return (at + HOOK_ENTRY_ALIGN) | HOOK_TEXT_KEY;
}

/* False: there is no such text. */
static bool find_text(const struct fpid_claims *c, const struct claim_group *g,
		      const struct entries *of, uint64_t word, struct keys *out)
{
	struct claimed_text *text = &out->texts[out->ntexts];

	if (word & HOOK_TEXT_KEY) {
		text->text = out->read[out->ntexts];
		return read_text(of, word & ~HOOK_TEXT_KEY, out->read[out->ntexts]);
	}
	text->text = fpid_chosen_text(text->key->difo, word, g->probe, &c->pp->fpid->task);
	return text->text != NULL;
}

/* False: no clause of ours has made them. */
static bool sort_keys(const struct fpid_claims *c, const struct claim_group *g,
		      const struct entries *of, const uint64_t *words, struct keys *out)
{
	out->nnumbers = out->ntexts = out->npcs = 0;
	out->pcs[0] = g->pc;
	out->is_cut = false;
	for (unsigned i = 0; i < g->stmt->nacts; i++) {
		const struct action *act = &g->stmt->acts[i];
		struct claimed_text *text = &out->texts[out->ntexts];

		if (act->kind != ACT_AGGKEY || aggkey_is_fixed(act, CLAIM_ONE_PROCESS))
			continue;
		if (act->rec.kind == REC_USTACK) {
			if (!read_stack(of, *words++, out))
				return false;
			continue;
		}
		if (act->rec.kind != REC_STRING) {
			out->numbers[out->nnumbers++] = *words++;
			continue;
		}
		text->key = act;
		if (!find_text(c, g, of, *words++, out))
			return false;
		out->ntexts++;
	}
	return true;
}

static bool is_news(const struct claim_group *g, const uint64_t *news)
{
	return times_of(g, news) || (is_extreme(g) && news[1]);
}

static void hand_over(struct fpid_claims *c, const struct claim_group *g, const struct keys *keys,
		      uint64_t *news)
{
	struct event ev = {.probe = g->probe,
			   .target = &c->view,
			   .pid = c->pp->pid,
			   .tid = c->pp->pid,
			   .pcs = keys->npcs ? keys->pcs : NULL,
			   .npcs = keys->npcs,
			   .task = &c->pp->fpid->task};
	struct claimed claimed = {.ecb = g->ecb,
				  .stmt = g->stmt,
				  .keys = keys->numbers,
				  .texts = keys->texts,
				  .ntexts = keys->ntexts,
				  .data = news,
				  .times = times_of(g, news),
				  .reach = CLAIM_ONE_PROCESS};

	if (g->func == HOOK_AGG_MIN)
		news[1] = (uint64_t)INT64_MAX - news[1];
	else if (g->func == HOOK_AGG_MAX)
		news[1] += (uint64_t)INT64_MIN;
	if (g->func == HOOK_AGG_SUM || is_extreme(g))
		claimed.data = &news[1];
	event_merge(g->probe->session, &ev, &claimed);
}

static uint64_t *zeros(struct fpid_claims *c, unsigned nwords)
{
	if (c->scratch_words < nwords) {
		c->scratch = xrealloc(c->scratch, nwords * sizeof(*c->scratch));
		c->scratch_words = nwords;
	}
	memset(c->scratch, 0, nwords * sizeof(*c->scratch));
	return c->scratch;
}

static char *table_at(const struct fpid_claims *c, unsigned block)
{
	uint64_t room;

	return hooks_table(c->pp->fpid->hooks, block, &room);
}

static void collect_group(struct fpid_claims *c, unsigned nblocks, struct claim_group *g)
{
	uint64_t *now = zeros(c, g->nwords);
	const struct keys none = {.ntexts = 0};

	for (unsigned i = 1; i < nblocks; i++)
		add_words(g, (uint64_t *)(void *)(table_at(c, i) + g->words), now);
	subtract_seen(g, now, g->seen);
	if (is_news(g, now))
		hand_over(c, g, &none, now);
}

static struct claim_shadow *shadow_of(struct fpid_claims *c, unsigned block, uint64_t used)
{
	struct claim_shadow *sh;

	if (block >= c->nshadows) {
		c->shadows = xrealloc(c->shadows, (block + 1) * sizeof(*c->shadows));
		memset(c->shadows + c->nshadows, 0,
		       (block + 1 - c->nshadows) * sizeof(*c->shadows));
		c->nshadows = block + 1;
	}
	sh = &c->shadows[block];
	if (sh->size < used) {
		uint64_t size = MAX(2 * sh->size, used);

		sh->seen = xrealloc(sh->seen, size);
		memset(sh->seen + sh->size, 0, size - sh->size);
		sh->size = size;
	}
	return sh;
}

/* Returns its size; 0: it is not what the hook makes. */
static uint64_t collect_entry(struct fpid_claims *c, const struct entries *of, uint32_t group,
			      uint64_t at, unsigned block)
{
	struct hook_entry *e = (void *)(uintptr_t)(of->at + at);
	uint64_t words[HOOK_KEYS_MAX], size, *now;
	const struct claim_group *g;
	const struct claim_shadow *sh;
	struct keys keys;

	if (group >= c->ngroups)
		return 0;
	g = &c->groups[group];
	size = ROUND_UP(sizeof(*e) + 8 * ((uint64_t)g->nkeys + g->nwords), HOOK_ENTRY_ALIGN);
	if (g->seen || size > of->used - at)
		return 0;
	sh = shadow_of(c, block, at + size); /* of what is there, not of what is claimed */
	memcpy(words, e + 1, g->nkeys * sizeof(*words));
	now = zeros(c, g->nwords);
	add_words(g, (uint64_t *)(void *)(e + 1) + g->nkeys, now);
	subtract_seen(g, now, (uint64_t *)(void *)(sh->seen + at));
	if (!is_news(g, now))
		return size;
	if (!sort_keys(c, g, of, words, &keys))
		return 0;
	if (keys.is_cut)
		c->ncut += times_of(g, now);
	c->is_cut |= keys.is_cut;
	hand_over(c, g, &keys, now);
	return size;
}

/* Whatever there is. Returns its size; 0: it is not what the hook makes. */
static uint64_t collect_at(struct fpid_claims *c, const struct entries *of, uint64_t at,
			   unsigned block)
{
	const struct hook_entry *e = (const void *)(of->at + at);
	uint32_t number = __atomic_load_n(&e->group, __ATOMIC_ACQUIRE);
	uint64_t size;

	if (number == HOOK_GROUP_STACK || number == HOOK_GROUP_TEXT)
		size = __atomic_load_n(&e->size, __ATOMIC_RELAXED);
	else
		size = collect_entry(c, of, number - 1, at, block);
	return size < sizeof(*e) || size % HOOK_ENTRY_ALIGN || size > of->used - at ? 0 : size;
}

/* Those behind `from`, by what leads to them. */
static void collect_by_slots(struct fpid_claims *c, const struct entries *of, const uint32_t *slots,
			     uint64_t from, unsigned block)
{
	for (unsigned i = 0; i < HOOK_SLOTS; i++) {
		uint64_t number = __atomic_load_n(&slots[i], __ATOMIC_ACQUIRE);

		if (number % HOOK_ENTRY_ALIGN == 0 && number > from + HOOK_ENTRY_ALIGN &&
		    number - HOOK_ENTRY_ALIGN + sizeof(struct hook_entry) <= of->used)
			collect_at(c, of, number - HOOK_ENTRY_ALIGN, block);
	}
}

/*
 * The entries of one thread. The program can write there: what does not look as the hook has made
 * it is passed over. One that is being made has no group yet, nor a size; it may stay so, if a
 * signal handler leaves the hook by a jump.
 */
static void collect_entries(struct fpid_claims *c, const struct hooks_tables *t, unsigned block)
{
	const char *table = table_at(c, block);
	const struct entries of = entries_of(c, block);

	for (uint64_t at = 0, size; at + sizeof(struct hook_entry) <= of.used; at += size) {
		size = collect_at(c, &of, at, block);
		if (size)
			continue;
		collect_by_slots(c, &of, (const void *)(table + t->words), at, block);
		return;
	}
}

/* Nobody knows which: of each aggregation so many may be missing. */
static void lose_values(const struct fpid_claims *c, uint64_t n)
{
	const struct aggvar *last = NULL;

	for (uint32_t i = 0; i < c->ngroups; i++) {
		const struct claim_group *g = &c->groups[i];

		if (g->seen || g->stmt->aggs[0] == last)
			continue;
		last = g->stmt->aggs[0];
		session_lose_hits(g->probe, g->ecb, n);
	}
}

static void collect_drops(struct fpid_claims *c, unsigned nblocks)
{
	struct session *s = c->pp->pw->session;
	uint64_t n = 0, lost = 0;

	for (unsigned i = 1; i < nblocks; i++) {
		const struct hook_table *ht = (void *)table_at(c, i);

		n += __atomic_load_n(&ht->drops, __ATOMIC_RELAXED);
		lost += __atomic_load_n(&ht->lost, __ATOMIC_RELAXED);
	}
	atomic_fetch_add_explicit(&s->drops[DROP_DYNAMIC], lost - c->lost, memory_order_relaxed);
	c->lost = lost;
	atomic_fetch_add_explicit(&s->agg_drops[0], n - c->drops, memory_order_relaxed);
	if (n != c->drops)
		lose_values(c, n - c->drops);
	c->drops = n;
}

static void fetch(const struct fpid_claims *c, unsigned nblocks, struct claim_counter *counter)
{
	uint64_t now = 0;

	for (unsigned i = 1; i < nblocks; i++)
		now += __atomic_load_n((uint64_t *)(void *)(table_at(c, i) + counter->words),
				       __ATOMIC_RELAXED);
	atomic_fetch_add_explicit(counter->value, now - counter->seen, memory_order_relaxed);
	counter->seen = now;
}

void fpid_claims_settle(struct pid_proc *pp)
{
	if (pp->fpid->claims && pp->fpid->claims->has_stacks)
		hooks_need_stacks(pp->fpid->hooks);
}

/* Runtimes map code without the linker's knowledge. */
static void look_again(struct fpid_claims *c)
{
	uint64_t now = session_now(c->pp->pw->session);

	if (!c->is_cut || now - c->looked_ns < FPID_LOOK_NS)
		return;
	c->is_cut = false;
	c->looked_ns = now;
	hooks_need_stacks(c->pp->fpid->hooks);
}

void fpid_claims_fetch(struct pid_proc *pp)
{
	struct fpid_claims *c = pp->fpid ? pp->fpid->claims : NULL;
	unsigned nblocks;

	if (!c || !hooks_tables(pp->fpid->hooks))
		return;
	fpid_globals_show(c, false);
	if (!c->ncounters)
		return;
	hooks_look(pp->fpid->hooks);
	nblocks = hooks_nblocks(pp->fpid->hooks);
	for (unsigned i = 0; i < c->ncounters; i++)
		fetch(c, nblocks, &c->counters[i]);
}

void fpid_claims_collect(struct pid_proc *pp)
{
	struct fpid_claims *c = pp->fpid->claims;
	const struct hooks_tables *t = c ? hooks_tables(pp->fpid->hooks) : NULL;
	unsigned nblocks;

	if (!t)
		return;
	fpid_claims_adjust_clock(c);
	nblocks = hooks_nblocks(pp->fpid->hooks);
	for (unsigned i = 0; i < c->ncounters; i++)
		fetch(c, nblocks, &c->counters[i]);
	for (uint32_t i = 0; i < c->ngroups; i++)
		if (c->groups[i].seen)
			collect_group(c, nblocks, &c->groups[i]);
	for (unsigned i = 1; i < nblocks; i++)
		collect_entries(c, t, i);
	collect_drops(c, nblocks);
	look_again(c);
}
