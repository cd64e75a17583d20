/* hook_agg.c: aggregations that are kept in the target (agg_proto.h). */
#include "hook/hook.h"
#include "hook/agg_proto.h"

/* One instruction: no signal comes between. */
static inline void add(uint64_t *word, uint64_t value)
{
	__asm__ volatile("addq %1, %0" : "+m"(*word) : "er"(value) : "cc");
}

/* The reader takes values away meanwhile, from another CPU: locked, but only where it changes. */
static void raise_to(uint64_t *word, uint64_t value)
{
	uint64_t now = __atomic_load_n(word, __ATOMIC_RELAXED);

	while (value > now && !__atomic_compare_exchange_n(word, &now, value, false,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static unsigned quantize_bucket(int64_t value)
{
	uint64_t size = magnitude(value);
	unsigned log2;

	if (!value)
		return HOOK_QUANTIZE_MID;
	log2 = 63u - (unsigned)__builtin_clzll(size);
	if (log2 > 62)
		log2 = 62;
	return value < 0 ? HOOK_QUANTIZE_MID - 1 - log2 : HOOK_QUANTIZE_MID + 1 + log2;
}

static unsigned lquantize_bucket(const struct hook_agg *a, int64_t value)
{
	uint64_t level, levels = a->nwords - 2;

	if (value < a->params[0])
		return 0;
	level = ((uint64_t)value - (uint64_t)a->params[0]) / (uint64_t)a->params[2];
	return 1 + (unsigned)(level < levels ? level : levels);
}

/* As dlang/run/histogram.c lays them out: below the middle, the middle, orders low to high, above.
 */
static unsigned llquantize_bucket(const struct hook_agg *a, int64_t value)
{
	uint64_t factor = (uint64_t)a->params[0], steps = (uint64_t)a->params[3];
	uint64_t below = steps / factor, top = 1, size = magnitude(value);
	unsigned middle = a->nwords / 2, distance = 1;
	int64_t order = 0;

	for (; order < a->params[1]; order++)
		top *= factor;
	if (size < top)
		return middle;
	for (; order <= a->params[2]; order++, distance += (unsigned)(steps - below)) {
		top *= factor;
		if (size >= top)
			continue;
		distance += (unsigned)((top % steps ? size * steps / top : size / (top / steps)) -
				       below);
		break;
	}
	return value < 0 ? middle - distance : middle + distance;
}

static inline void add_square(uint64_t *low, uint64_t value)
{
	uint64_t size = (int64_t)value < 0 ? -value : value;
	unsigned __int128 square = (unsigned __int128)size * size;

	__asm__ volatile("addq %2, %0\n\tadcq %3, %1"
			 : "+m"(low[0]), "+m"(low[1])
			 : "r"((uint64_t)square), "r"((uint64_t)(square >> 64))
			 : "cc");
}

static void aggregate(const struct hook_agg *a, uint64_t *words, uint64_t value)
{
	switch ((enum hook_aggfunc)a->func) {
	case HOOK_AGG_MIN:
		raise_to(&words[1], (uint64_t)INT64_MAX - value);
		break;
	case HOOK_AGG_MAX:
		raise_to(&words[1], value - (uint64_t)INT64_MIN);
		break;
	case HOOK_AGG_STDDEV:
		add_square(&words[2], value);
		add(&words[1], value);
		break;
	case HOOK_AGG_SUM:
	case HOOK_AGG_AVG:
		add(&words[1], value);
		break;
	case HOOK_AGG_QUANTIZE:
		words += quantize_bucket((int64_t)value);
		break;
	case HOOK_AGG_LQUANTIZE:
		words += lquantize_bucket(a, (int64_t)value);
		break;
	case HOOK_AGG_LLQUANTIZE:
		words += llquantize_bucket(a, (int64_t)value);
		break;
	case HOOK_AGG_COUNT:
	case HOOK_NAGGFUNCS:
		break;
	}
	add(words, 1);
}

/* ---- with keys ---- */

static inline bool is_it(const struct hook_entry *e, const struct hook_agg *a, const uint64_t *keys)
{
	const uint64_t *theirs = (const uint64_t *)(e + 1);

	if (e->group != a->group + 1)
		return false;
	for (unsigned i = 0; i < a->nkeys; i++)
		if (theirs[i] != keys[i])
			return false;
	return true;
}

/* A new entry, which nobody finds yet: its group, `nkeys` words, and more of 0. 0: there is no
 * room. */
static uint32_t make(char *entries, struct hook_table *t, uint32_t group, const uint64_t *keys,
		     unsigned nkeys, unsigned nwords)
{
	uint64_t size = sizeof(struct hook_entry) + 8 * ((uint64_t)nkeys + nwords), at;
	struct hook_entry *e;

	size = (size + HOOK_ENTRY_ALIGN - 1) & ~(uint64_t)(HOOK_ENTRY_ALIGN - 1);
	if (t->used + size > t->room)
		return 0;
	at = size; /* taken by one instruction: a signal handler takes what is behind it */
	__asm__ volatile("xaddq %0, %1" : "+r"(at), "+m"(t->used) : : "cc");
	if (at + size > t->room)
		return 0;
	e = (struct hook_entry *)(entries + at);
	for (unsigned i = 0; i < nkeys; i++)
		((uint64_t *)(e + 1))[i] = keys[i];
	e->size = (uint32_t)size;
	__atomic_store_n(&e->group, group, __ATOMIC_RELEASE);
	return (uint32_t)at + HOOK_ENTRY_ALIGN;
}

/* Is ours there now? If not, what a signal handler has put there is looked at next. */
static inline bool take_slot(uint32_t *slot, uint32_t entry)
{
	uint32_t none = 0;
	bool taken;

	__asm__ volatile("cmpxchgl %3, %1"
			 : "=@ccz"(taken), "+m"(*slot), "+a"(none)
			 : "r"(entry)
			 : "memory");
	return taken;
}

static uint64_t *find(char *table, const struct hook_agg *a, const uint64_t *keys)
{
	uint32_t *slots = (uint32_t *)(table + hook_where.table_words), made = 0;
	char *entries = (char *)slots + HOOK_ENTRIES;
	uint64_t room = ((const struct hook_table *)table)->room;
	uint32_t at = hook_hash(a->group, keys, a->nkeys);

	for (unsigned tries = 0; tries < HOOK_SLOTS; at++) {
		uint32_t *slot = &slots[at & (HOOK_SLOTS - 1)];
		uint32_t e = __atomic_load_n(slot, __ATOMIC_RELAXED);
		struct hook_entry *entry;

		if (!e) {
			if (!made)
				made = make(entries, (void *)table, a->group + 1, keys, a->nkeys,
					    a->nwords);
			if (!made)
				break;
			take_slot(slot, made);
			at--; /* it holds something now */
			continue;
		}
		tries++;
		entry = (struct hook_entry *)(entries - HOOK_ENTRY_ALIGN + e);
		if (e <= room && is_it(entry, a, keys))
			return (uint64_t *)(entry + 1) + a->nkeys;
	}
	add(&((struct hook_table *)table)->drops, 1);
	return NULL;
}

/* ---- stacks ---- */

static inline uint64_t *words_of(struct hook_entry *e)
{
	return (uint64_t *)(e + 1);
}

/* The first word has their number. */
static bool is_stack(struct hook_entry *e, const uint64_t *words)
{
	if (e->group != HOOK_GROUP_STACK)
		return false;
	for (unsigned i = 0; i <= (uint32_t)words[0]; i++)
		if (words_of(e)[i] != words[i])
			return false;
	return true;
}

static uint32_t find_stack(char *table, const uint64_t *words)
{
	uint32_t *slots = (uint32_t *)(table + hook_where.table_words), made = 0;
	char *entries = (char *)slots + HOOK_ENTRIES;
	uint64_t room = ((const struct hook_table *)table)->room;
	unsigned n = 1 + (uint32_t)words[0];
	uint32_t at = hook_hash(HOOK_GROUP_STACK, words, n);

	for (unsigned tries = 0; tries < HOOK_SLOTS; at++) {
		uint32_t *slot = &slots[at & (HOOK_SLOTS - 1)];
		uint32_t e = __atomic_load_n(slot, __ATOMIC_RELAXED);

		if (!e) {
			if (!made)
				made = make(entries, (void *)table, HOOK_GROUP_STACK, words, n, 0);
			if (!made)
				break;
			take_slot(slot, made);
			at--; /* it holds something now */
			continue;
		}
		tries++;
		if (e <= room &&
		    is_stack((struct hook_entry *)(entries - HOOK_ENTRY_ALIGN + e), words))
			return e;
	}
	return 0;
}

/* The call that a room was taken for has been left, by a jump out of a signal handler: it was
 * deeper than we are. */
static bool is_left(const struct hook_block *b, uint64_t sp, uint64_t ours)
{
	return sp >= b->stack_start && sp < b->stack_end && ours >= sp && ours < b->stack_end;
}

/* Others are in use by what handlers of signals have interrupted. NULL: all are. */
static uint64_t *take_room(const struct hook_block *b, uint64_t sp, unsigned max, uint64_t *rooms)
{
	for (unsigned i = 0; i < HOOK_STACK_ROOMS; i++, rooms += HOOK_STACK_ROOM(max))
		if (!rooms[0] || is_left(b, rooms[0], sp)) {
			rooms[0] = sp;
			__asm__ volatile("" : : : "memory");
			return rooms;
		}
	return NULL;
}

static uint32_t walk_for_key(struct hook_block *b, const uint64_t *sp, uint64_t rbp, unsigned max,
			     uint64_t *rooms)
{
	uint64_t *room = take_room(b, (uint64_t)sp, max, rooms), *words = room + 1;
	uint32_t key;

	if (!room)
		return 0;
	words[0] = hook_walk(b, sp, rbp, words + 1, max) | (uint64_t)max << HOOK_STACK_MAX;
	key = find_stack((char *)(uintptr_t)b->table, words);
	if (key)
		hook_keep_key(b, sp, key);
	__asm__ volatile("" : : : "memory");
	room[0] = 0;
	return key;
}

/* ---- what native clauses call ---- */

uint32_t hook_stack_key(struct hook_block *b, const uint64_t *sp, uint64_t rbp, uint64_t what)
{
	char *table = (char *)(uintptr_t)b->table;
	struct hook_table *t = (struct hook_table *)table;
	char *entries = table + hook_where.table_words + HOOK_ENTRIES;
	uint32_t max = (uint32_t)what, key = hook_known_key(b, sp, rbp);
	struct hook_entry *e = (struct hook_entry *)(entries - HOOK_ENTRY_ALIGN + key);

	if (key && key <= t->room && words_of(e)[0] >> HOOK_STACK_MAX == max)
		return key;
	key = walk_for_key(b, sp, rbp, max, (uint64_t *)(table + (what >> 32)));
	if (!key)
		add(&t->drops, 1);
	return key;
}

void hook_aggregate(struct hook_block *b, const struct hook_agg *a, const uint64_t *keys,
		    uint64_t value)
{
	char *table = (char *)(uintptr_t)b->table;
	uint64_t *words = (uint64_t *)(table + a->words);

	if (!a->words)
		words = find(table, a, keys);
	if (words)
		aggregate(a, words, value);
}
