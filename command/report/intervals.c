#include "command/report/intervals.h"

#include <stdlib.h>

void intervals_init(struct intervals *iv, uint64_t size_max, uint64_t least_ns)
{
	*iv = (struct intervals){.size_max = size_max, .least_ns = least_ns};
}

void intervals_release(struct intervals *iv)
{
	for (size_t i = 0; i < iv->n; i++)
		aggstore_release(&iv->v[i].aggs);
	free(iv->v);
	intervals_init(iv, iv->size_max, iv->least_ns);
}

/* Bytes that its rows take, about. */
static uint64_t size_of(const struct aggstore *aggs)
{
	uint64_t size = 0;

	for (uint32_t i = 0; i < aggs->ncopies; i++) {
		const struct aggcopy *c = aggs->copies[i];

		if (c)
			size += sizeof(*c) + c->nents * (sizeof(struct aggent) + c->var->keysize +
							 8ULL * c->var->nwords);
	}
	return size;
}

static void join(struct interval *into, struct interval *from)
{
	for (uint32_t i = 0; i < from->aggs.ncopies; i++) {
		const struct aggcopy *c = from->aggs.copies[i];

		for (size_t k = 0; c && k < c->nents; k++)
			aggcopy_join(aggstore_copy(&into->aggs, c->var), c->ents[k]->key,
				     c->ents[k]);
	}
	into->to_ns = from->to_ns;
	into->ndrops += from->ndrops;
	aggstore_release(&from->aggs);
}

/* The last one of an odd number stays alone. */
static void join_all(struct intervals *iv)
{
	size_t n = 0;

	iv->size = 0;
	for (size_t i = 0; i < iv->n; i += 2) {
		if (i + 1 < iv->n)
			join(&iv->v[i], &iv->v[i + 1]);
		iv->v[n] = iv->v[i];
		iv->size += size_of(&iv->v[n++].aggs);
	}
	iv->n = n;
	iv->njoins++;
}

/* The last with the one before it. */
static void join_last(struct intervals *iv)
{
	struct interval *last = &iv->v[--iv->n], *into = last - 1;

	iv->size -= size_of(&into->aggs) + size_of(&last->aggs);
	join(into, last);
	iv->size += size_of(&into->aggs);
}

static bool is_short(const struct intervals *iv, const struct interval *v)
{
	return v->to_ns - v->from_ns < iv->least_ns;
}

void intervals_end(struct intervals *iv)
{
	if (iv->n > 1 && is_short(iv, &iv->v[iv->n - 1]))
		join_last(iv);
}

void intervals_add(struct intervals *iv, struct aggstore *aggs, uint64_t from_ns, uint64_t to_ns,
		   uint64_t ndrops)
{
	const struct aggstore empty = {.ncpus = aggs->ncpus};

	if (iv->n == iv->room) {
		iv->room = MAX(2 * iv->room, 64);
		iv->v = xrealloc(iv->v, iv->room * sizeof(*iv->v));
	}
	iv->v[iv->n++] = (struct interval){from_ns, to_ns, *aggs, ndrops};
	iv->size += size_of(aggs);
	*aggs = empty;
	if (iv->n > 1 && is_short(iv, &iv->v[iv->n - 2]))
		join_last(iv);
	while (iv->size > iv->size_max && iv->n > 1)
		join_all(iv);
}

const struct aggcopy *interval_copy(const struct interval *iv, const struct aggvar *var)
{
	return var->id <= iv->aggs.ncopies ? iv->aggs.copies[var->id - 1] : NULL;
}
