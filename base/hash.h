/*
 * hash.h: the one hash table of the tool: open addressing, keys are 64-bit numbers or strings.
 * Values are pointers and belong to the caller. Private memory: never publish one to the front.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/base.h"

uint64_t hash_bytes(const void *p, size_t n); /* eight at a time; no value is promised */
uint64_t hash_u64(uint64_t v);

/* Number → pointer. A value is never NULL. */
struct hash {
	struct hash_slot {
		uint64_t key;
		void *value;
	} * slots;
	size_t nslots, n, ndead;
};

void hash_init(struct hash *);
void hash_release(struct hash *); /* the values are the caller's */
void *hash_get(const struct hash *, uint64_t key);
void hash_put(struct hash *, uint64_t key, void *value); /* replaces */
void hash_expect(struct hash *, size_t n);		 /* a hint: so many will be put */
void *hash_del(struct hash *, uint64_t key);		 /* returns what was there, or NULL */

/* for (size_t i = 0; (v = hash_each(h, &i, &key));) visits all; do not put while visiting. */
void *hash_each(const struct hash *, size_t *i, uint64_t *key);

/* String → pointer; keys are borrowed and must outlive the table. */
struct strmap {
	struct strmap_slot {
		const char *key;
		void *value;
	} * slots;
	size_t nslots, n;
};

void strmap_init(struct strmap *);
void strmap_release(struct strmap *);
void *strmap_get(const struct strmap *, const char *key);
void strmap_put(struct strmap *, const char *key, void *value); /* replaces */

#endif
