/*
 * element.h: the treaty, continued: arrays of a thread, self->x[key], by keys that are one number.
 * Part of HOOK_VERSION. Each lies at the same place of every table (agg_proto.h):
 *
 *     hook_array │ HOOK_FEW pairs of a key and its value │ many pairs
 *
 * A pair is free where its value is 0: then a stamp stands instead of the key, of which there is
 * never the same again. The hash of a key says which of the few is its first one; it is there or in
 * one of the following ones, as far as any key has ever been from its own; or else among the many.
 *
 * A signal handler of the thread may do all of this between any two instructions, and may never
 * come back. A pair changes in one instruction, compared and exchanged. That a key has one pair and
 * no second: whoever is about to take a free pair says so (`chosen`), then looks for the key, and
 * takes the pair only if it has the same stamp still. Who does so meanwhile gives the chosen one
 * another stamp first.
 *
 * The engine does the same while the thread is stopped. The program can write there: nothing is
 * followed that does not lie in the array, and nothing is tried for ever.
 */
#ifndef HOOK_ELEMENT_H
#define HOOK_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hook/agg_proto.h"
#include "hook/inorder.h"

#define HOOK_FEW_BITS	8
#define HOOK_FEW	(1U << HOOK_FEW_BITS)
#define HOOK_MANY_BITS	15 /* at most */
#define HOOK_FEW_FAR	8  /* pairs that a key may lie in, from its first one on */
#define HOOK_MANY_FAR	64
#define HOOK_USED_BITS	8 /* of the many, so many pairs share a mark */
#define HOOK_ARRAY_HEAD 256
#define HOOK_TRIES	100 /* handlers of signals that come in between, one after the other */

struct hook_array {
	uint64_t stamp;					      /* the last one */
	uint64_t chosen;				      /* number of a pair, + 1; 0: none */
	uint32_t far[2];				      /* among the few, among the many */
	uint8_t used[1 << (HOOK_MANY_BITS - HOOK_USED_BITS)]; /* some pair has been used */
};

struct hook_pair {
	_Alignas(16) uint64_t key;
	uint64_t value;
};

/* Where an array lies, from the table's beginning on, and how many pairs are many. Others have
 * words there (tuple.h). */
#define HOOK_ARRAY(place, bits) ((uint64_t)(place) << 16 | (bits))
#define HOOK_ARRAY_PLACE(array) ((array) >> 16)
#define HOOK_ARRAY_WORDS(array) ((uint32_t)((array) >> 8 & 0xff))
#define HOOK_ARRAY_SIZE(bits)                                                                      \
	(HOOK_ARRAY_HEAD + (HOOK_FEW + (1ULL << (bits))) * sizeof(struct hook_pair))

_Static_assert(sizeof(struct hook_array) <= HOOK_ARRAY_HEAD, "hook_array");

/* One, as whoever looks at it sees it. */
struct elements {
	struct hook_array *head;
	struct hook_pair *pairs;
	uint32_t many;
};

static inline struct elements elements_of(char *table, uint64_t array)
{
	char *at = table + HOOK_ARRAY_PLACE(array);

	return (struct elements){(struct hook_array *)(void *)at,
				 (struct hook_pair *)(void *)(at + HOOK_ARRAY_HEAD),
				 1U << (array & 31)};
}

static inline uint64_t element_stamp(const struct elements *a)
{
	uint64_t stamp = 1;

	__asm__ volatile("xaddq %0, %1" : "+r"(stamp), "+m"(a->head->stamp) : : "cc");
	return stamp + 1;
}

static inline bool element_swap(struct hook_pair *p, struct hook_pair from, struct hook_pair to)
{
	return swap_both((struct two_words *)(void *)p, (struct two_words){{from.key, from.value}},
			 (struct two_words){{to.key, to.value}});
}

/* The nth pair in which a key may lie. */
static inline uint32_t element_number(const struct elements *a, uint64_t key, bool is_many,
				      uint32_t nth)
{
	uint64_t hash = key * HOOK_HASH_FACTOR;

	if (is_many)
		return HOOK_FEW + (((uint32_t)(hash >> 32) + nth) & (a->many - 1));
	return ((uint32_t)(hash >> (64 - HOOK_FEW_BITS)) + nth) & (HOOK_FEW - 1);
}

static inline uint32_t element_far(const struct elements *a, bool is_many)
{
	uint32_t far = __atomic_load_n(&a->head->far[is_many], __ATOMIC_RELAXED);
	uint32_t most = is_many ? HOOK_MANY_FAR : HOOK_FEW_FAR;

	return far < most ? far : most;
}

static inline struct hook_pair *element_scan(const struct elements *a, uint64_t key,
					     uint64_t *value)
{
	for (int is_many = 0; is_many < 2; is_many++)
		for (uint32_t i = 0, n = element_far(a, is_many); i < n; i++) {
			struct hook_pair *p = &a->pairs[element_number(a, key, is_many, i)];

			if (look_at(&p->key) == key && (*value = look_at(&p->value)))
				return p;
		}
	*value = 0;
	return NULL;
}

/* NULL: there is none, its value is 0. Where no pair became free meanwhile none has changed its
 * key. */
static inline struct hook_pair *element_find(const struct elements *a, uint64_t key,
					     uint64_t *value)
{
	struct hook_pair *found = NULL;

	for (unsigned tries = 0; tries < HOOK_TRIES; tries++) {
		uint64_t stamp = look_at(&a->head->stamp);

		in_order();
		found = element_scan(a, key, value);
		in_order();
		if (look_at(&a->head->stamp) == stamp)
			break;
	}
	return found;
}

/* What has been chosen by somebody whom we have interrupted is not taken any more. */
static inline void element_unchoose(const struct elements *a)
{
	uint64_t chosen = look_at(&a->head->chosen);
	struct hook_pair was = {0, 0};

	if (!chosen || chosen > HOOK_FEW + a->many)
		return;
	was.key = look_at(&a->pairs[chosen - 1].key);
	element_swap(&a->pairs[chosen - 1], was, (struct hook_pair){element_stamp(a), 0});
}

/* How far a free pair is from the first one of a key; UINT32_MAX: there is none. */
static inline uint32_t element_free(const struct elements *a, uint64_t key, bool is_many)
{
	for (uint32_t i = 0; i < (is_many ? HOOK_MANY_FAR : HOOK_FEW_FAR); i++)
		if (!look_at(&a->pairs[element_number(a, key, is_many, i)].value))
			return i;
	return UINT32_MAX;
}

/* Keys lie as far away as that from now on. */
static inline void element_reach(const struct elements *a, uint32_t number, bool is_many,
				 uint32_t nth)
{
	uint32_t *far = &a->head->far[is_many];

	for (uint32_t was = *far; was <= nth;)
		__asm__ volatile("cmpxchgl %2, %1" : "+a"(was), "+m"(*far) : "r"(nth + 1) : "cc");
	if (is_many)
		a->head->used[(number - HOOK_FEW) >> HOOK_USED_BITS] = 1;
}

enum element_result { ELEMENT_TAKEN, ELEMENT_AGAIN, ELEMENT_FULL };

static inline enum element_result element_take(const struct elements *a, uint64_t key,
					       uint64_t value)
{
	uint32_t nth = element_free(a, key, false), number;
	bool is_many = nth == UINT32_MAX;
	struct hook_pair *p, was = {0, 0};
	uint64_t there;

	if (is_many)
		nth = element_free(a, key, true);
	if (nth == UINT32_MAX)
		return ELEMENT_FULL;
	number = element_number(a, key, is_many, nth);
	p = &a->pairs[number];
	element_unchoose(a);
	__atomic_store_n(&a->head->chosen, number + 1, __ATOMIC_RELAXED);
	in_order();
	was.key = look_at(&p->key);
	in_order();
	if (look_at(&a->head->chosen) != number + 1 || element_find(a, key, &there))
		return ELEMENT_AGAIN;
	element_reach(a, number, is_many, nth);
	in_order();
	if (!element_swap(p, was, (struct hook_pair){key, value}))
		return ELEMENT_AGAIN;
	__atomic_store_n(&a->head->chosen, 0, __ATOMIC_RELAXED);
	return ELEMENT_TAKEN;
}

/* False: there is no room. */
static inline bool element_store(const struct elements *a, uint64_t key, uint64_t value)
{
	for (unsigned tries = 0; tries < HOOK_TRIES; tries++) {
		uint64_t old;
		struct hook_pair *p = element_find(a, key, &old), to = {key, value};
		enum element_result r;

		if (!p && !value)
			return true;
		if (p && !value)
			to.key = element_stamp(a);
		if (p && element_swap(p, (struct hook_pair){key, old}, to))
			return true;
		if (p)
			continue;
		r = element_take(a, key, value);
		if (r != ELEMENT_AGAIN)
			return r == ELEMENT_TAKEN;
	}
	return false;
}

static inline void element_free_all(const struct elements *a, uint32_t from, uint32_t n)
{
	for (uint32_t i = from; i < from + n; i++) {
		__atomic_store_n(&a->pairs[i].key, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&a->pairs[i].value, 0, __ATOMIC_RELAXED);
	}
}

typedef void element_fn(void *arg, uint64_t key, uint64_t value);

static inline void element_each_of(const struct elements *a, uint32_t from, uint32_t n,
				   element_fn *fn, void *arg)
{
	for (uint32_t i = from; i < from + n; i++) {
		uint64_t value = look_at(&a->pairs[i].value);

		if (value)
			fn(arg, look_at(&a->pairs[i].key), value);
	}
}

/* The thread is stopped. fn may free what it is called for. */
static inline void element_each(const struct elements *a, element_fn *fn, void *arg)
{
	if (a->head->far[0])
		element_each_of(a, 0, HOOK_FEW, fn, arg);
	for (uint32_t i = 0; i < a->many >> HOOK_USED_BITS; i++)
		if (a->head->used[i])
			element_each_of(a, HOOK_FEW + (i << HOOK_USED_BITS), 1U << HOOK_USED_BITS,
					fn, arg);
}

/* Nobody is using it: its thread has ended, or is about to begin. */
static inline void element_clear(const struct elements *a)
{
	if (a->head->far[0])
		element_free_all(a, 0, HOOK_FEW);
	for (uint32_t i = 0; a->head->far[1] && i < a->many >> HOOK_USED_BITS; i++) {
		if (a->head->used[i])
			element_free_all(a, HOOK_FEW + (i << HOOK_USED_BITS), 1U << HOOK_USED_BITS);
		a->head->used[i] = 0;
	}
	a->head->far[0] = a->head->far[1] = 0;
	a->head->chosen = 0;
}

#endif
