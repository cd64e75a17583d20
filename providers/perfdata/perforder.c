/*
 * perforder.c: records in the order of time. Each CPU's are in order already; a round (the record
 * FINISHED_ROUND) says that all buffers have been emptied once since the last one, so that at its
 * end nothing can come that is older than the youngest of the round before.
 */
#include <stdlib.h>

#include "providers/perfdata/perfdata_priv.h"

/* Of a file without rounds, or with long ones, so many wait at most, of so many bytes, which are
 * kept as long; then the older half is given out. */
#define WAITING_MAX	  ((size_t)1 << 20)
#define WAITING_BYTES_MAX ((size_t)128 << 20)

/* The end of the ascending run that begins at `at`. */
static size_t run_end(const struct perfentry *v, size_t at, size_t n)
{
	do
		at++;
	while (at < n && v[at].time_ns >= v[at - 1].time_ns);
	return at;
}

/* Two neighbouring runs become one; of equal times the earlier in the file comes first. */
static void merge(struct perfentry *to, const struct perfentry *a, size_t na,
		  const struct perfentry *b, size_t nb)
{
	const struct perfentry *a_end = a + na, *b_end = b + nb;

	while (a < a_end && b < b_end)
		*to++ = b->time_ns < a->time_ns ? *b++ : *a++;
	memcpy(to, a, (size_t)(a_end - a) * sizeof(*a));
	memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof(*b));
}

/* Merges the runs pair by pair. True: there was but one. */
static bool merge_pairs(struct perforder *o, size_t from)
{
	size_t at = from;
	bool is_sorted = true;

	while (at < o->n) {
		const size_t middle = run_end(o->v, at, o->n),
			     end = middle < o->n ? run_end(o->v, middle, o->n) : middle;

		is_sorted &= end == o->n && middle == o->n && at == from;
		merge(o->other + at, o->v + at, middle - at, o->v + middle, end - middle);
		at = end;
	}
	return is_sorted;
}

static void sort(struct perforder *o, size_t from)
{
	while (run_end(o->v, from, o->n) < o->n) {
		struct perfentry *v = o->v;

		merge_pairs(o, from);
		memcpy(o->other, v, from * sizeof(*v));
		o->v = o->other;
		o->other = v;
	}
}

/* What was given out. */
static void forget(struct perforder *o)
{
	if (!o->next)
		return;
	memmove(o->v, o->v + o->next, (o->n - o->next) * sizeof(*o->v));
	o->n -= o->next;
	o->nready -= o->next;
	o->next = 0;
}

static void make_room(struct perforder *o)
{
	forget(o);
	if (o->n < o->room / 2)
		return;
	o->room = o->room ? 2 * o->room : 4096;
	o->v = xrealloc(o->v, o->room * sizeof(*o->v));
	o->other = xrealloc(o->other, o->room * sizeof(*o->other));
}

static void count_waiting(struct perforder *o)
{
	o->waiting_bytes = 0;
	for (size_t i = o->nready; i < o->n; i++)
		o->waiting_bytes += o->v[i].h->size;
}

void perforder_add(struct perforder *o, const struct perfentry *e)
{
	if (o->n == o->room)
		make_room(o);
	o->v[o->n++] = *e;
	o->round_ns = MAX(o->round_ns, e->time_ns);
	o->waiting_bytes += e->h->size;
	if (o->n - o->nready >= WAITING_MAX || o->waiting_bytes >= WAITING_BYTES_MAX) {
		sort(o, o->nready);
		o->nready += (o->n - o->nready + 1) / 2;
		count_waiting(o);
	}
}

void perforder_round(struct perforder *o, bool all)
{
	const uint64_t limit_ns = all ? UINT64_MAX : o->limit_ns;

	o->limit_ns = o->round_ns;
	forget(o);
	if (o->n == o->nready)
		return;
	sort(o, o->nready);
	while (o->nready < o->n && o->v[o->nready].time_ns <= limit_ns)
		o->nready++;
	count_waiting(o);
}
