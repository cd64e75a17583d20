#include "dlang/run/dynvars.h"

#include <errno.h>

/*
 * A buddy allocator over granules of 32 bytes. A block of order o is 2^o granules, aligned to its
 * size; the head of its first granule describes it, the heads of the others say HEAD_INSIDE.
 *
 *   heads   | USED 1 |inside| FREE 0 | USED 0 | ...
 *   region  | key value     |        | value  | ...
 */
#define GRANULE	   32
#define MAX_ORDERS 32
#define REMEMBERED 64 /* the last ones that were made */

enum { HEAD_INSIDE, HEAD_FREE, HEAD_USED };

struct head {
	uint32_t next; /* index + 1 in the hash chain or free list; 0: end */
	uint32_t prev; /* free list only: index + 1 */
	uint8_t state, order;
	uint32_t var, keylen, size;
	uint64_t tid, hash;
};

struct dynvars {
	char *region;
	struct head *heads;
	uint32_t ngranules;
	uint64_t nused, capacity;  /* variables */
	uint32_t free[MAX_ORDERS]; /* index + 1 */
	uint32_t *buckets;
	uint32_t nbuckets; /* a power of two */
	uint32_t made[REMEMBERED];
	uint64_t nmade;
};

static void push_free(struct dynvars *d, uint32_t i, unsigned order)
{
	struct head *h = &d->heads[i];

	h->state = HEAD_FREE;
	h->order = (uint8_t)order;
	h->prev = 0;
	h->next = d->free[order];
	if (h->next)
		d->heads[h->next - 1].prev = i + 1;
	d->free[order] = i + 1;
}

static void take_free(struct dynvars *d, uint32_t i)
{
	struct head *h = &d->heads[i];

	if (h->prev)
		d->heads[h->prev - 1].next = h->next;
	else
		d->free[h->order] = h->next;
	if (h->next)
		d->heads[h->next - 1].prev = h->prev;
	h->state = HEAD_INSIDE;
}

/*
 * Blocks of the size that the largest variable needs: then there is one for each, wherever the
 * others are. As many of them as half of what is left holds: what finds none is a drop.
 */
static uint64_t granules_for(const struct arena *a, uint64_t n, uint64_t most)
{
	uint64_t left = a->shared ? (uint64_t)(a->end - a->next) / 2 : UINT64_MAX, block = 1;

	while (block * GRANULE < most)
		block *= 2;
	left = MIN(left / (GRANULE + sizeof(struct head) + 2 * sizeof(uint32_t)), UINT32_MAX / 2);
	return MIN(n, left / block) * block;
}

int dynvars_new(struct arena *a, uint64_t capacity, uint64_t most, struct dynvars **out,
		struct err *err)
{
	uint64_t n = granules_for(a, capacity, most);
	struct dynvars *d = arena_try(a, sizeof(*d));

	if (!d)
		goto full;
	d->capacity = capacity;
	d->ngranules = (uint32_t)n;
	for (d->nbuckets = 16; d->nbuckets < n / 2; d->nbuckets *= 2)
		;
	d->region = arena_try(a, n * GRANULE);
	d->heads = arena_try(a, n * sizeof(*d->heads));
	d->buckets = arena_try(a, d->nbuckets * sizeof(*d->buckets));
	if (!d->region || !d->heads || !d->buckets)
		goto full;
	for (uint32_t i = 0; i < n;) {
		unsigned order = 0;

		while (order + 1 < MAX_ORDERS && !(i & (1u << order)) && i + (2ull << order) <= n)
			order++;
		push_free(d, i, order);
		i += 1u << order;
	}
	*out = d;
	return 0;
full:
	return err_set(err, -ENOMEM, "no room for %llu dynamic variables; lower dynvarsize",
		       (unsigned long long)capacity);
}

/* The index of a used block of at least `bytes`, or UINT32_MAX. */
static uint32_t block_alloc(struct dynvars *d, uint64_t bytes)
{
	unsigned order = 0, from;
	uint32_t i;

	if (bytes > UINT32_MAX)
		return UINT32_MAX;
	while (order < MAX_ORDERS && ((uint64_t)GRANULE << order) < bytes)
		order++;
	for (from = order; from < MAX_ORDERS && !d->free[from]; from++)
		;
	if (from >= MAX_ORDERS)
		return UINT32_MAX;
	i = d->free[from] - 1;
	take_free(d, i);
	while (from > order) {
		from--;
		push_free(d, i + (1u << from), from);
	}
	d->heads[i].state = HEAD_USED;
	d->heads[i].order = (uint8_t)order;
	return i;
}

static void block_free(struct dynvars *d, uint32_t i)
{
	unsigned order = d->heads[i].order;

	d->heads[i].state = HEAD_INSIDE;
	for (; order + 1 < MAX_ORDERS; order++) {
		uint32_t buddy = i ^ (1u << order);

		if (buddy >= d->ngranules || d->heads[buddy].state != HEAD_FREE ||
		    d->heads[buddy].order != order)
			break;
		take_free(d, buddy);
		i = MIN(i, buddy);
	}
	push_free(d, i, order);
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ull;
	return h ^ (h >> 29);
}

static uint64_t load_word(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t key_hash(const struct dynvar_key *k)
{
	uint64_t h = mix(mix(k->var, k->tid), k->len);

	for (uint32_t i = 0; i < k->len; i += 8)
		h = mix(h, load_word(k->key + i));
	return h;
}

static bool same_key(const struct dynvars *d, uint32_t i, const struct dynvar_key *k, uint64_t hash)
{
	const struct head *h = &d->heads[i];
	const char *key = d->region + (size_t)i * GRANULE;

	if (h->hash != hash || h->var != k->var || h->tid != k->tid || h->keylen != k->len)
		return false;
	for (uint32_t j = 0; j < k->len; j += 8)
		if (load_word(key + j) != load_word(k->key + j))
			return false;
	return true;
}

/* The link (bucket or next) that holds the variable's index + 1, or the 0 at the end of its chain.
 */
static uint32_t *find_link(const struct dynvars *d, const struct dynvar_key *k, uint64_t hash)
{
	uint32_t *link = &d->buckets[hash & (d->nbuckets - 1)];

	while (*link && !same_key(d, *link - 1, k, hash))
		link = &d->heads[*link - 1].next;
	return link;
}

static char *value_of(const struct dynvars *d, uint32_t i)
{
	return d->region + (size_t)i * GRANULE + d->heads[i].keylen;
}

char *dynvars_find(const struct dynvars *d, const struct dynvar_key *k)
{
	uint32_t found = *find_link(d, k, key_hash(k));

	return found ? value_of(d, found - 1) : NULL;
}

char *dynvars_make(struct dynvars *d, const struct dynvar_key *k, uint64_t size, bool *is_new)
{
	uint64_t hash = key_hash(k);
	uint32_t *link = find_link(d, k, hash), i;
	struct head *h;

	*is_new = !*link;
	if (*link)
		return value_of(d, *link - 1);
	i = d->nused < d->capacity ? block_alloc(d, k->len + size) : UINT32_MAX;
	if (i == UINT32_MAX)
		return NULL;
	d->nused++;
	d->made[d->nmade++ % REMEMBERED] = i;
	h = &d->heads[i];
	h->next = 0;
	h->var = k->var;
	h->keylen = k->len;
	h->size = (uint32_t)size;
	h->tid = k->tid;
	h->hash = hash;
	*link = i + 1;
	memcpy(d->region + (size_t)i * GRANULE, k->key, k->len);
	memset(value_of(d, i), 0, size);
	return value_of(d, i);
}

void dynvars_delete(struct dynvars *d, const struct dynvar_key *k)
{
	uint32_t *link = find_link(d, k, key_hash(k)), i;

	if (!*link)
		return;
	i = *link - 1;
	*link = d->heads[i].next;
	block_free(d, i);
	d->nused--;
}

static void unlink_block(struct dynvars *d, uint32_t i)
{
	uint32_t *link = &d->buckets[d->heads[i].hash & (d->nbuckets - 1)];

	while (*link && *link != i + 1)
		link = &d->heads[*link - 1].next;
	if (*link)
		*link = d->heads[i].next;
}

static bool is_of(const struct dynvars *d, uint32_t i, uint32_t var, uint64_t tid)
{
	const struct head *h = &d->heads[i];

	return h->state == HEAD_USED && h->var == var && (!tid || h->tid == tid);
}

static void delete_block(struct dynvars *d, uint32_t i)
{
	unlink_block(d, i);
	block_free(d, i);
	d->nused--;
}

typedef void block_fn(struct dynvars *, uint32_t block, void *arg);

/* fn may free it: freed blocks may become part of larger ones: what lies inside of those is passed
 * by. */
static void each_block(struct dynvars *d, uint32_t var, uint64_t tid, block_fn *fn, void *arg)
{
	for (uint32_t i = 0, step; i < d->ngranules; i += step) {
		const struct head *h = &d->heads[i];

		step = h->state == HEAD_INSIDE ? 1 : 1U << h->order;
		if (is_of(d, i, var, tid))
			fn(d, i, arg);
	}
}

static void forget_block(struct dynvars *d, uint32_t i, void *arg UNUSED)
{
	delete_block(d, i);
}

void dynvars_forget(struct dynvars *d, uint32_t var, uint64_t tid)
{
	each_block(d, var, tid, forget_block, NULL);
}

struct taking {
	dynvars_fn *fn;
	void *arg;
};

static void take_block(struct dynvars *d, uint32_t i, void *arg)
{
	const struct taking *t = arg;
	const struct head *h = &d->heads[i];
	const struct dynvar_key key = {h->var, h->keylen, h->tid, d->region + (size_t)i * GRANULE};

	t->fn(t->arg, &key, value_of(d, i));
	delete_block(d, i);
}

uint64_t dynvars_nmade(const struct dynvars *d)
{
	return d->nmade;
}

void dynvars_take(struct dynvars *d, uint32_t var, uint64_t tid, uint64_t since, dynvars_fn *fn,
		  void *arg)
{
	struct taking t = {fn, arg};

	if (d->nmade - since > REMEMBERED) {
		each_block(d, var, tid, take_block, &t);
		return;
	}
	for (uint64_t n = since; n < d->nmade; n++)
		if (is_of(d, d->made[n % REMEMBERED], var, tid))
			take_block(d, d->made[n % REMEMBERED], &t);
}

uint64_t dynvars_room(const struct dynvars *d, uint64_t addr)
{
	uint64_t base = (uintptr_t)d->region, granule = (addr - base) / GRANULE;

	if (addr < base || granule >= d->ngranules)
		return 0;
	for (unsigned order = 0; order < MAX_ORDERS; order++) {
		uint32_t i = (uint32_t)granule & ~((1u << order) - 1);
		const struct head *h = &d->heads[i];
		uint64_t value;

		if (h->state == HEAD_INSIDE || h->order < order)
			continue;
		value = (uintptr_t)value_of(d, i);
		return h->state == HEAD_USED && addr >= value && addr - value < h->size
			       ? h->size - (addr - value)
			       : 0;
	}
	return 0;
}
