/*
 * tuple.h: the treaty, continued: arrays by several keys, or by texts. Part of HOOK_VERSION. A set
 * of keys is a tuple: words, as dlang/run/vars.c lays keys out (a number is a word; a text is its
 * length and then its characters, the last word filled up with 0).
 *
 *     hook_array │ rows:  tag │ value │ word, stamp │ word, stamp │ ...
 *
 * A row is free where its value is 0. Its tag is a stamp, of which there is never the same again:
 * another one each time that it is taken or becomes free. An odd one says that somebody is about to
 * take it. The hash of a tuple says which row is its first one; it is there or in one of the
 * following ones, as far as any tuple has ever been from its own.
 *
 * A signal handler may do all of this between any two instructions, and may never come back: nobody
 * waits. Tag and value change at once, compared and exchanged, and so do a word and its stamp. Who
 * takes a row gives it an odd tag, writes the words, each as long as the row has that tag, and then
 * looks at all rows where the tuple may lie: whoever is about to take one of these has to begin
 * anew, as its tag is replaced. Of two who take rows for one tuple the later one finds the other's,
 * whichever has begun first. Only then the row gets a value. So a tuple has one row at most, and
 * what was read between two looks at the same tag belongs to that tuple.
 *
 * So it is with other threads where the array is that of all (a[keys]): then exchanges are locked,
 * and stamps are each thread's own, so that no line is written but those of rows, and a row has
 * lines of its own.
 *
 * The engine does the same: while the thread is stopped, or, in an array of all, as one more
 * thread. The program can write there: nothing is followed that does not lie in the array, and
 * nothing is tried for ever.
 */
#ifndef HOOK_TUPLE_H
#define HOOK_TUPLE_H

#include "hook/element.h"

#define HOOK_TUPLE_FAR	 64 /* rows that a tuple may lie in, from its first one on */
#define HOOK_TUPLE_WORDS 200
#define HOOK_ROW_ALIGN	 64
#define HOOK_ROW_MARKS	 7 /* bits: a row has been used, of one of so many parts */
#define HOOK_ROW_SIZE(n)                                                                           \
	(((1 + (n)) * sizeof(struct hook_pair) + HOOK_ROW_ALIGN - 1) & -(uint64_t)HOOK_ROW_ALIGN)

/* Where it lies, from the table's beginning on, how many words a tuple has at most, and how many
 * rows there are: no such array is one of hook/element.h, which has none. */
#define HOOK_TUPLES(place, words, bits) ((uint64_t)(place) << 16 | (uint64_t)(words) << 8 | (bits))
#define HOOK_TUPLES_SIZE(words, bits)	(HOOK_ARRAY_HEAD + (HOOK_ROW_SIZE(words) << (bits)))

/* One, as whoever looks at it sees it. */
struct tuples {
	struct hook_array *head;
	char *rows;
	uint64_t *stamp;
	uint64_t size;		  /* of a row */
	uint32_t mask, mark_bits; /* of so many rows */
	bool is_shared;
};

struct tuple {
	const uint64_t *words;
	uint32_t n;
};

static inline struct tuples tuples_of(char *table, uint64_t array)
{
	char *at = table + HOOK_ARRAY_PLACE(array);

	return (struct tuples){.head = (struct hook_array *)(void *)at,
			       .rows = at + HOOK_ARRAY_HEAD,
			       .stamp = &((struct hook_array *)(void *)at)->stamp,
			       .size = HOOK_ROW_SIZE(HOOK_ARRAY_WORDS(array)),
			       .mask = (1U << (array & 31)) - 1,
			       .mark_bits = (uint32_t)(array & 31) - HOOK_ROW_MARKS};
}

/* One of all threads, as one of them sees it: stamp: nobody else's. */
static inline struct tuples tuples_of_all(char *arrays, uint64_t array, uint64_t *stamp)
{
	struct tuples t = tuples_of(arrays, array);

	t.stamp = stamp;
	t.is_shared = true;
	return t;
}

static inline uint32_t tuple_hash(const struct tuple *key)
{
	uint64_t h = 0;

	for (uint32_t i = 0; i < key->n; i++)
		h = (h ^ key->words[i]) * HOOK_HASH_FACTOR ^ h >> 29;
	return (uint32_t)(h >> 32);
}

static inline uint64_t tuple_stamp(const struct tuples *t)
{
	uint64_t stamp = 2;

	__asm__ volatile("xaddq %0, %1" : "+r"(stamp), "+m"(*t->stamp) : : "cc");
	return (stamp + 2) & ~1ULL;
}

static inline bool tuple_swap(const struct tuples *t, struct hook_pair *p, struct hook_pair from,
			      struct hook_pair to)
{
	bool done;

	if (!t->is_shared)
		return element_swap(p, from, to);
	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@cce"(done), "+m"(*p), "+a"(from.key), "+d"(from.value)
			 : "b"(to.key), "c"(to.value)
			 : "memory");
	return done;
}

/* Its first two words are tag and value. */
static inline struct hook_pair *tuple_row(const struct tuples *t, uint32_t number)
{
	return (struct hook_pair *)(void *)(t->rows + (number & t->mask) * t->size);
}

static inline struct hook_pair tuple_look(const struct hook_pair *row)
{
	struct hook_pair seen;

	seen.key = look_at(&row->key);
	in_order();
	seen.value = look_at(&row->value);
	in_order();
	return seen;
}

static inline bool tuple_has_words(const struct hook_pair *row, const struct tuple *key)
{
	for (uint32_t i = 0; i < key->n; i++)
		if (look_at(&row[1 + i].key) != key->words[i])
			return false;
	return true;
}

static inline uint32_t tuple_far(const struct tuples *t)
{
	uint32_t far = __atomic_load_n(&t->head->far[0], __ATOMIC_RELAXED);

	return far < HOOK_TUPLE_FAR ? far : HOOK_TUPLE_FAR;
}

enum tuple_state { TUPLE_OTHER, TUPLE_THIS, TUPLE_CHANGED };

/* Whose row is it? *seen: its tag, and its value if that is this tuple's. */
static inline enum tuple_state tuple_state_of(const struct hook_pair *row, const struct tuple *key,
					      struct hook_pair *seen)
{
	bool is_it;

	*seen = tuple_look(row);
	if (!seen->value)
		return TUPLE_OTHER;
	is_it = tuple_has_words(row, key);
	in_order();
	if (!is_it)
		return look_at(&row->key) == seen->key ? TUPLE_OTHER : TUPLE_CHANGED;
	return look_at(&row->key) == seen->key ? TUPLE_THIS : TUPLE_CHANGED;
}

static inline struct hook_pair *tuple_scan(const struct tuples *t, const struct tuple *key,
					   struct hook_pair *seen)
{
	uint32_t first = tuple_hash(key), far = tuple_far(t);
	unsigned tries = 0;

	for (uint32_t i = 0; i < far;) {
		struct hook_pair *row = tuple_row(t, first + i);
		enum tuple_state state = tuple_state_of(row, key, seen);

		if (state == TUPLE_THIS)
			return row;
		if (state == TUPLE_OTHER || tries++ == HOOK_TRIES)
			i++;
	}
	*seen = (struct hook_pair){0, 0};
	return NULL;
}

/* NULL: there is none, its value is 0. Handlers of the thread have not taken or freed rows
 * meanwhile: what they do is done as a whole, before or behind this. */
static inline struct hook_pair *tuple_find(const struct tuples *t, const struct tuple *key,
					   struct hook_pair *seen)
{
	struct hook_pair *found = NULL;

	for (unsigned tries = 0; tries < HOOK_TRIES; tries++) {
		uint64_t stamp = look_at(t->stamp);

		in_order();
		found = tuple_scan(t, key, seen);
		in_order();
		if (look_at(t->stamp) == stamp)
			break;
	}
	return found;
}

/* How far a free row is from the first one of a tuple; UINT32_MAX: there is none. */
static inline uint32_t tuple_free(const struct tuples *t, uint32_t first)
{
	for (uint32_t i = 0; i < HOOK_TUPLE_FAR && i <= t->mask; i++)
		if (!look_at(&tuple_row(t, first + i)->value))
			return i;
	return UINT32_MAX;
}

/* Tuples lie as far away as that from now on. */
static inline void tuple_reach(const struct tuples *t, uint32_t number, uint32_t nth)
{
	uint8_t *used = &t->head->used[(number & t->mask) >> t->mark_bits];
	uint32_t *far = &t->head->far[0];

	for (uint32_t was = *far; was <= nth;)
		__asm__ volatile("lock cmpxchgl %2, %1"
				 : "+a"(was), "+m"(*far)
				 : "r"(nth + 1)
				 : "cc");
	if (!*used)
		*(volatile uint8_t *)used = 1;
}

/* False: the row is somebody else's by now. */
static inline bool tuple_write(const struct tuples *t, struct hook_pair *row, uint64_t tag,
			       const struct tuple *key)
{
	for (uint32_t i = 0; i < key->n; i++) {
		struct hook_pair was = tuple_look(&row[1 + i]);

		if (look_at(&row->key) != tag ||
		    !tuple_swap(t, &row[1 + i], was, (struct hook_pair){key->words[i], tag}))
			return false;
	}
	return true;
}

/* Nobody else has a row of the tuple, nor will who is about to take one. */
static inline bool tuple_exclude(const struct tuples *t, const struct tuple *key, uint32_t first,
				 const struct hook_pair *ours)
{
	uint32_t far = tuple_far(t);
	unsigned tries = 0;

	for (uint32_t i = 0; i < far && tries < HOOK_TRIES;) {
		struct hook_pair *row = tuple_row(t, first + i), seen;
		enum tuple_state state;

		if (row == ours) {
			i++;
			continue;
		}
		state = tuple_state_of(row, key, &seen);
		if (state == TUPLE_THIS)
			return false;
		if (state == TUPLE_CHANGED ||
		    (!seen.value && seen.key & 1 &&
		     !tuple_swap(t, row, seen, (struct hook_pair){tuple_stamp(t), 0})))
			tries++;
		else
			i++;
	}
	return tries < HOOK_TRIES;
}

static inline enum element_result tuple_take(const struct tuples *t, const struct tuple *key,
					     uint64_t value)
{
	uint32_t first = tuple_hash(key), nth = tuple_free(t, first);
	struct hook_pair *row = tuple_row(t, first + nth), was, taken;

	if (nth == UINT32_MAX)
		return ELEMENT_FULL;
	tuple_reach(t, first + nth, nth);
	in_order();
	was = tuple_look(row);
	taken = (struct hook_pair){tuple_stamp(t) | 1, 0};
	if (was.value || !tuple_swap(t, row, was, taken) || !tuple_write(t, row, taken.key, key))
		return ELEMENT_AGAIN;
	in_order();
	if (!tuple_exclude(t, key, first, row))
		return ELEMENT_AGAIN;
	return tuple_swap(t, row, taken, (struct hook_pair){taken.key, value}) ? ELEMENT_TAKEN
									       : ELEMENT_AGAIN;
}

/* False: there is no room. */
static inline bool tuple_store(const struct tuples *t, const struct tuple *key, uint64_t value)
{
	for (unsigned tries = 0; tries < HOOK_TRIES; tries++) {
		struct hook_pair seen, *row = tuple_find(t, key, &seen), to = {seen.key, value};
		enum element_result r;

		if (!row && !value)
			return true;
		if (row && !value)
			to.key = tuple_stamp(t);
		if (row && tuple_swap(t, row, seen, to))
			return true;
		if (row)
			continue;
		r = tuple_take(t, key, value);
		if (r != ELEMENT_AGAIN)
			return r == ELEMENT_TAKEN;
	}
	return false;
}

/* Where an element is added to, its new value is cut to its type. */
struct tuple_type {
	uint32_t size;
	bool is_signed;
};

static inline uint64_t tuple_cut(uint64_t value, struct tuple_type type)
{
	unsigned by = 64 - 8 * (type.size & 15);

	if (!type.size || type.size >= sizeof(value))
		return value;
	return type.is_signed ? (uint64_t)((int64_t)(value << by) >> by) : value << by >> by;
}

/* As tuple_store(). */
static inline bool tuple_add(const struct tuples *t, const struct tuple *key, uint64_t by,
			     struct tuple_type type)
{
	for (unsigned tries = 0; tries < HOOK_TRIES; tries++) {
		struct hook_pair seen, *row = tuple_find(t, key, &seen), to;
		enum element_result r;

		to = (struct hook_pair){seen.key, tuple_cut(seen.value + by, type)};
		if (row && !to.value)
			to.key = tuple_stamp(t);
		if (row ? tuple_swap(t, row, seen, to) : !to.value)
			return true;
		if (row)
			continue;
		r = tuple_take(t, key, to.value);
		if (r != ELEMENT_AGAIN)
			return r == ELEMENT_TAKEN;
	}
	return false;
}

typedef void tuple_fn(void *arg, const struct hook_pair *row, uint64_t value);

/* The thread is stopped. fn may free what it is called for. */
static inline void tuple_each(const struct tuples *t, tuple_fn *fn, void *arg)
{
	for (uint32_t i = 0; i <= t->mask; i++) {
		const struct hook_pair *row = tuple_row(t, i);

		if (!t->head->used[i >> t->mark_bits])
			i |= (1U << t->mark_bits) - 1;
		else if (look_at(&row->value))
			fn(arg, row, look_at(&row->value));
	}
}

/* Nobody is using it: its thread has ended, or is about to begin. */
static inline void tuple_clear(const struct tuples *t)
{
	for (uint32_t i = 0; i <= t->mask; i++) {
		uint8_t *used = &t->head->used[i >> t->mark_bits];
		struct hook_pair *row = tuple_row(t, i);

		if (!*used) {
			i |= (1U << t->mark_bits) - 1;
			continue;
		}
		__atomic_store_n(&row->key, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&row->value, 0, __ATOMIC_RELAXED);
	}
	for (uint32_t i = 0; i <= t->mask >> t->mark_bits; i++)
		t->head->used[i] = 0;
	t->head->far[0] = 0;
}

/* An array of any kind. */
static inline void array_clear(char *table, uint64_t array)
{
	if (HOOK_ARRAY_WORDS(array)) {
		const struct tuples t = tuples_of(table, array);

		tuple_clear(&t);
	} else {
		const struct elements a = elements_of(table, array);

		element_clear(&a);
	}
}

#endif
