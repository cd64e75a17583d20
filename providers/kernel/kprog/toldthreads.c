#include "providers/kernel/kprog/toldthreads.h"

#include <stdlib.h>

#include "base/hash.h"

/*
 * Memory is seen as blocks, of the largest power of two that is no longer than a thread: of threads
 * that do not overlap one at most begins in each, and reaches no further than the second after it.
 */
#define REACH 2

struct toldthreads {
	uint64_t size;
	unsigned block_bits;
	struct hash by_block; /* where it begins → struct kernthread */
};

struct toldthreads *toldthreads_new(uint64_t size)
{
	struct toldthreads *tt = xcalloc(1, sizeof(*tt));

	tt->size = size;
	tt->block_bits = size ? 63 - (unsigned)__builtin_clzll(size) : 0;
	hash_init(&tt->by_block);
	return tt;
}

void toldthreads_free(struct toldthreads *tt)
{
	void *v;

	if (!tt)
		return;
	for (size_t i = 0; (v = hash_each(&tt->by_block, &i, NULL));)
		free(v);
	hash_release(&tt->by_block);
	free(tt);
}

static bool overlap(const struct toldthreads *tt, uint64_t a, uint64_t b)
{
	return (a > b ? a - b : b - a) < tt->size;
}

void toldthreads_add(struct toldthreads *tt, const struct kernthread *t)
{
	const uint64_t block = t->addr >> tt->block_bits;
	struct kernthread *new;

	if (!tt->size)
		return;
	for (uint64_t at = block - REACH; at != block + REACH + 1; at++) {
		const struct kernthread *had = hash_get(&tt->by_block, at);

		if (had && overlap(tt, had->addr, t->addr))
			free(hash_del(&tt->by_block, at));
	}
	new = xmalloc(sizeof(*new));
	*new = *t;
	hash_put(&tt->by_block, block, new);
}

const struct kernthread *toldthreads_find(const struct toldthreads *tt, uint64_t addr)
{
	for (uint64_t back = 0; back <= REACH; back++) {
		const struct kernthread *t =
			hash_get(&tt->by_block, (addr >> tt->block_bits) - back);

		if (t && addr >= t->addr && addr - t->addr < tt->size)
			return t;
	}
	return NULL;
}
