#include "providers/kernel/kprog/toldthreads.h"

#include <stdlib.h>

#include "base/hash.h"

/*
 * Memory is seen as blocks, of the largest power of two that is no longer than the least of a
 * thread: one thread at most begins in each.
 */
struct toldthreads {
	uint64_t size, least;
	unsigned block_bits;
	struct hash by_block; /* where it begins → struct kernthread */
};

struct toldthreads *toldthreads_new(uint64_t size, uint64_t least)
{
	struct toldthreads *tt = xcalloc(1, sizeof(*tt));

	tt->size = least ? size : 0;
	tt->least = least;
	tt->block_bits = least ? 63 - (unsigned)__builtin_clzll(least) : 0;
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
	return (a > b ? a - b : b - a) < tt->least;
}

void toldthreads_add(struct toldthreads *tt, const struct kernthread *t)
{
	const uint64_t first = (t->addr - tt->least) >> tt->block_bits,
		       last = (t->addr + tt->least) >> tt->block_bits;
	struct kernthread *new;

	if (!tt->size)
		return;
	for (uint64_t at = first; at <= last; at++) {
		const struct kernthread *had = hash_get(&tt->by_block, at);

		if (had && overlap(tt, had->addr, t->addr))
			free(hash_del(&tt->by_block, at));
	}
	new = xmalloc(sizeof(*new));
	*new = *t;
	hash_put(&tt->by_block, t->addr >> tt->block_bits, new);
}

const struct kernthread *toldthreads_find(const struct toldthreads *tt, uint64_t addr)
{
	const uint64_t block = addr >> tt->block_bits;

	for (uint64_t back = 0; tt->size && back <= (tt->size >> tt->block_bits) + 1; back++) {
		const struct kernthread *t = hash_get(&tt->by_block, block - back);

		if (t && addr >= t->addr)
			return addr - t->addr < tt->size ? t : NULL;
	}
	return NULL;
}
