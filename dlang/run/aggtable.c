#include "dlang/run/aggtable.h"

#include <errno.h>

/*
 * Entries lie one behind the other in a bounded region; a chained hash finds them. To empty the
 * table is to forget its entries: cost is by what was in it, not by its size.
 *
 *   entry:  head | key, padded with zeros to 8 bytes | data words
 *
 * Links are offsets in words of 8 bytes, + 1; 0 ends a chain.
 */
#define BUCKET_BITS 20

struct entry {
	uint32_t next;
	uint32_t bucket : BUCKET_BITS, cpu : 32 - BUCKET_BITS;
	uint32_t varid, keysize, nwords;
	uint32_t hash; /* the part of it that bucket does not tell */
	char key[];
};

struct aggtable {
	uint64_t size, used;
	char *region;
	uint32_t *buckets, mask;
	struct entry *last; /* that was found: the next event is often of the same; NULL: none */
};

struct aggtable *aggtable_new(struct arena *a, uint64_t size, struct err *err)
{
	struct aggtable *t = arena_try(a, sizeof(*t));
	uint32_t nbuckets = 16;

	size = MIN(size, (uint64_t)UINT32_MAX * 8);
	while (nbuckets < 1u << BUCKET_BITS && nbuckets < size / 64)
		nbuckets *= 2;
	if (t) {
		t->size = size;
		t->mask = nbuckets - 1;
		t->region = arena_try(a, size);
		t->buckets = arena_try(a, nbuckets * sizeof(*t->buckets));
	}
	if (t && t->region && t->buckets)
		return t;
	err_set(err, -ENOMEM, "no room for an aggregation buffer of %llu bytes; lower aggsize",
		(unsigned long long)size);
	return NULL;
}

static struct entry *entry_at(const struct aggtable *t, uint64_t offset)
{
	return (struct entry *)(t->region + offset);
}

static uint64_t *entry_data(struct entry *e)
{
	return (uint64_t *)(e->key + ROUND_UP((size_t)e->keysize, 8));
}

uint64_t aggtable_entry_size(uint32_t keysize, uint32_t nwords)
{
	return sizeof(struct entry) + ROUND_UP((uint64_t)keysize, 8) + 8 * (uint64_t)nwords;
}

void aggtable_clear(struct aggtable *t)
{
	for (uint64_t at = 0; at < t->used;) {
		const struct entry *e = entry_at(t, at);

		t->buckets[e->bucket] = 0;
		at += aggtable_entry_size(e->keysize, e->nwords);
	}
	t->used = 0;
	t->last = NULL;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ull;
	return h ^ (h >> 29);
}

/* The word of a key at offset i; what lies behind its end counts as zero. */
static uint64_t key_word(const char *key, uint32_t keysize, uint32_t i)
{
	uint64_t v = 0;

	if (keysize - i >= sizeof(v))
		memcpy(&v, key + i, sizeof(v));
	else
		memcpy(&v, key + i, keysize - i);
	return v;
}

/* Texts are short and their room is long: four words of zeros at a time are passed over, and a word
 * counts with its place. */
static uint64_t key_hash(uint32_t varid, const char *key, uint32_t keysize, unsigned cpu)
{
	uint64_t h = mix(0, varid | (uint64_t)cpu << 32), w[4];
	uint32_t i = 0;

	for (; keysize - i >= sizeof(w); i += sizeof(w)) {
		memcpy(w, key + i, sizeof(w));
		if (!(w[0] | w[1] | w[2] | w[3]))
			continue;
		for (unsigned j = 0; j < ARRAY_SIZE(w); j++)
			h = mix(h + i, w[j]);
	}
	for (; i < keysize; i += 8)
		h = mix(h + i, key_word(key, keysize, i));
	return h;
}

static bool same_key(const struct entry *e, const struct aggvar *var, const char *key, unsigned cpu)
{
	return e->varid == var->id && e->cpu == cpu && e->keysize == var->keysize &&
	       memcmp(e->key, key, var->keysize) == 0;
}

static struct entry *entry_new(struct aggtable *t, const struct aggvar *var, const char *key)
{
	uint64_t size = aggtable_entry_size(var->keysize, var->nwords);
	struct entry *e = entry_at(t, t->used);

	if (size > t->size - t->used)
		return NULL;
	memset(e, 0, size);
	t->used += size;
	e->varid = var->id;
	e->keysize = var->keysize;
	e->nwords = var->nwords;
	memcpy(e->key, key, var->keysize);
	var->func->init(entry_data(e), var);
	return e;
}

static struct entry *find(struct aggtable *t, const struct aggvar *var, const char *key,
			  unsigned cpu)
{
	uint64_t hash = key_hash(var->id, key, var->keysize, cpu);
	uint32_t bucket = (uint32_t)hash & t->mask, tag = (uint32_t)(hash >> 32);
	uint64_t at = t->used;
	struct entry *e;

	for (uint32_t link = t->buckets[bucket]; link; link = e->next) {
		e = entry_at(t, (uint64_t)(link - 1) * 8);
		if (e->hash == tag && same_key(e, var, key, cpu))
			return e;
	}
	e = entry_new(t, var, key);
	if (!e)
		return NULL;
	e->hash = tag;
	e->bucket = bucket & ((1u << BUCKET_BITS) - 1);
	e->cpu = cpu & ((1u << (32 - BUCKET_BITS)) - 1);
	e->next = t->buckets[bucket];
	t->buckets[bucket] = (uint32_t)(at / 8) + 1;
	return e;
}

uint64_t *aggtable_find(struct aggtable *t, const struct aggvar *var, const void *key, unsigned cpu)
{
	if (!t->last || !same_key(t->last, var, key, cpu))
		t->last = find(t, var, key, cpu);
	return t->last ? entry_data(t->last) : NULL;
}

void aggtable_each(const struct aggtable *t,
		   void (*fn)(void *arg, const struct aggat *at, const uint64_t *data), void *arg)
{
	for (uint64_t at = 0; at < t->used;) {
		struct entry *e = entry_at(t, at);

		fn(arg, &(struct aggat){e->varid, e->cpu, e->key}, entry_data(e));
		at += aggtable_entry_size(e->keysize, e->nwords);
	}
}
