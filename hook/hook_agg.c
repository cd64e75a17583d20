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

/* What an entry is known by: its group, as entries have it, and words. Others behind them begin as
 * 0. */
struct wanted {
	uint32_t group;
	const uint64_t *keys;
	unsigned nkeys, nwords;
};

static inline bool is_it(const struct hook_entry *e, const struct wanted *w)
{
	const uint64_t *theirs = (const uint64_t *)(e + 1);

	if (e->group != w->group)
		return false;
	for (unsigned i = 0; i < w->nkeys; i++)
		if (theirs[i] != w->keys[i])
			return false;
	return true;
}

/* A new entry, which nobody finds yet. 0: there is no room. */
static uint32_t make(char *entries, struct hook_table *t, const struct wanted *w)
{
	uint64_t size = sizeof(struct hook_entry) + 8 * ((uint64_t)w->nkeys + w->nwords), at;
	struct hook_entry *e;

	size = (size + HOOK_ENTRY_ALIGN - 1) & ~(uint64_t)(HOOK_ENTRY_ALIGN - 1);
	if (t->used + size > t->room)
		return 0;
	at = size; /* taken by one instruction: a signal handler takes what is behind it */
	__asm__ volatile("xaddq %0, %1" : "+r"(at), "+m"(t->used) : : "cc");
	if (at + size > t->room)
		return 0;
	e = (struct hook_entry *)(entries + at);
	for (unsigned i = 0; i < w->nkeys; i++)
		((uint64_t *)(e + 1))[i] = w->keys[i];
	e->size = (uint32_t)size;
	__atomic_store_n(&e->group, w->group, __ATOMIC_RELEASE);
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

/* The number of the entry, made if new: as slots have it. 0: there is no room. */
static uint32_t find(char *table, const struct wanted *w, uint32_t hash)
{
	uint32_t *slots = (uint32_t *)(table + hook_where.table_words), made = 0;
	char *entries = (char *)slots + HOOK_ENTRIES;
	uint64_t room = ((const struct hook_table *)table)->room;

	for (unsigned tries = 0; tries < HOOK_REACH; hash++) {
		uint32_t *slot = &slots[hash & (HOOK_SLOTS - 1)];
		uint32_t e = __atomic_load_n(slot, __ATOMIC_RELAXED);

		if (!e) {
			if (!made)
				made = make(entries, (void *)table, w);
			if (!made)
				break;
			take_slot(slot, made);
			hash--; /* it holds something now */
			continue;
		}
		tries++;
		if (e <= room && is_it((const void *)(entries - HOOK_ENTRY_ALIGN + e), w))
			return e;
	}
	return 0;
}

static inline uint64_t *words_at(char *table, uint32_t number)
{
	char *entries = table + hook_where.table_words + HOOK_ENTRIES;

	return (uint64_t *)((struct hook_entry *)(entries - HOOK_ENTRY_ALIGN + number) + 1);
}

void hook_drop_value(struct hook_block *b)
{
	add(&((struct hook_table *)(uintptr_t)b->table)->drops, 1);
}

void hook_lose_assignment(const struct hook_block *b)
{
	add(&((struct hook_table *)(uintptr_t)b->table)->lost, 1);
}

/* As hook_hash(), but of many words: what is multiplied does not wait for the one before it. */
static uint32_t hash_words(uint32_t group, const uint64_t *words, uint32_t n)
{
	uint64_t h[4] = {1, 2, 3, 4}, all;
	uint32_t i = 0;

	for (; i + 4 <= n; i += 4)
		for (unsigned k = 0; k < 4; k++)
			h[k] = (h[k] ^ words[i + k]) * HOOK_HASH_FACTOR;
	for (; i < n; i++)
		h[i & 3] = (h[i & 3] ^ words[i]) * HOOK_HASH_FACTOR;
	all = h[0] + (h[1] >> 16 | h[1] << 48) + (h[2] >> 32 | h[2] << 32) +
	      (h[3] >> 48 | h[3] << 16);
	return hook_hash(group, &all, 1);
}

uint32_t hook_find_entry(struct hook_block *b, uint32_t group, const uint64_t *words, uint32_t n)
{
	const struct wanted w = {group, words, n, 0};

	return find((char *)(uintptr_t)b->table, &w, hash_words(group, words, n));
}

/* ---- rooms ---- */

/* The call that a room was taken for has been left, by a jump out of a signal handler: it was
 * deeper than we are. */
static bool is_left(const struct hook_block *b, uint64_t sp, uint64_t ours)
{
	return sp >= b->stack_start && sp < b->stack_end && ours >= sp && ours < b->stack_end;
}

uint64_t *hook_take_room(struct hook_block *b, const uint64_t *sp, uint64_t rooms)
{
	uint64_t *room = (uint64_t *)(uintptr_t)(b->table + HOOK_ROOMS_PLACE(rooms));

	for (unsigned i = 0; i < HOOK_ROOMS; i++, room += HOOK_ROOMS_WORDS(rooms))
		if (!room[0] || is_left(b, room[0], (uint64_t)sp)) {
			room[0] = (uint64_t)sp;
			__asm__ volatile("" : : : "memory");
			return room;
		}
	return NULL;
}

/* ---- stacks ---- */

static uint32_t walk_for_key(struct hook_block *b, const uint64_t *sp, uint64_t rbp, unsigned max,
			     uint64_t *room)
{
	uint64_t *words = room + 1;
	uint32_t key;

	words[0] = hook_walk(b, sp, rbp, words + 1, max) | (uint64_t)max << HOOK_STACK_MAX;
	key = hook_find_entry(b, HOOK_GROUP_STACK, words, 1 + (uint32_t)words[0]);
	if (key)
		hook_keep_key(b, sp, key);
	hook_leave_room(room);
	return key;
}

/* ---- what native clauses call ---- */

uint32_t hook_stack_key(struct hook_block *b, const uint64_t *sp, uint64_t rbp, uint64_t what)
{
	char *table = (char *)(uintptr_t)b->table;
	uint32_t max = (uint16_t)what, key = hook_known_key(b, sp, rbp);
	uint64_t *room;

	if (key && key <= ((const struct hook_table *)table)->room &&
	    words_at(table, key)[0] >> HOOK_STACK_MAX == max)
		return key;
	room = hook_take_room(b, sp, what);
	key = room ? walk_for_key(b, sp, rbp, max, room) : 0;
	if (!key)
		hook_drop_value(b);
	return key;
}

static uint64_t *find_words(struct hook_block *b, const struct hook_agg *a, const uint64_t *keys)
{
	char *table = (char *)(uintptr_t)b->table;
	const struct wanted w = {a->group + 1, keys, a->nkeys, a->nwords};
	uint32_t number = find(table, &w, hook_hash(a->group, keys, a->nkeys));

	if (number)
		return words_at(table, number) + a->nkeys;
	hook_drop_value(b);
	return NULL;
}

void hook_aggregate(struct hook_block *b, const struct hook_agg *a, const uint64_t *keys,
		    uint64_t value)
{
	char *table = (char *)(uintptr_t)b->table;
	uint64_t *words = (uint64_t *)(table + a->words);

	if (!a->words)
		words = find_words(b, a, keys);
	if (words)
		aggregate(a, words, value);
}
