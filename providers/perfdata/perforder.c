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

/* Where nothing happened for so long, both ends of that time are given out, whoever asks. */
#define PASSED_GAP_NS ((uint64_t)1000000000)

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

/* Merges the runs pair by pair. */
static void merge_pairs(struct perforder *o, size_t from)
{
	size_t at = from;

	while (at < o->n) {
		const size_t middle = run_end(o->v, at, o->n),
			     end = middle < o->n ? run_end(o->v, middle, o->n) : middle;

		merge(o->other + at, o->v + at, middle - at, o->v + middle, end - middle);
		at = end;
	}
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

/* Of `before` that waited some are ready now. What nobody asked for stood among them. */
static void count_waiting(struct perforder *o, size_t before)
{
	o->waiting_bytes = 0;
	for (size_t i = o->nready; i < o->n; i++)
		o->waiting_bytes += o->v[i].h->size;
	o->passed_bytes = before ? o->passed_bytes / before * (o->n - o->nready) : 0;
}

static void bound(struct perforder *o)
{
	const size_t n = o->n - o->nready;

	if (n < WAITING_MAX && o->waiting_bytes + o->passed_bytes < WAITING_BYTES_MAX)
		return;
	if (n) {
		sort(o, o->nready);
		o->nready += (n + 1) / 2;
		o->given_ns = MAX(o->given_ns, o->v[o->nready - 1].time_ns);
	}
	count_waiting(o, n);
}

void perforder_add(struct perforder *o, const struct perfentry *e)
{
	if (o->n == o->room)
		make_room(o);
	o->v[o->n++] = *e;
	o->round_ns = MAX(o->round_ns, e->time_ns);
	o->waiting_bytes += e->h->size;
	bound(o);
}

static void add_passed(struct perforder *o)
{
	const struct perfentry passed = o->passed;

	o->passed.h = NULL;
	if (passed.h)
		perforder_add(o, &passed);
}

void perforder_pass(struct perforder *o, const struct perfentry *e)
{
	const uint64_t gap_ns =
		e->time_ns > o->passed_ns ? e->time_ns - o->passed_ns : o->passed_ns - e->time_ns;

	o->passed_ns = e->time_ns;
	o->round_ns = MAX(o->round_ns, e->time_ns);
	if (gap_ns > PASSED_GAP_NS) {
		add_passed(o);
		perfblock_hold(e->block);
		perforder_add(o, e);
		return;
	}
	o->passed_bytes += e->h->size;
	bound(o);
	if (o->passed.h && e->time_ns < o->passed.time_ns)
		return;
	perfblock_hold(e->block);
	if (o->passed.h)
		perfblock_drop(o->passed.block);
	o->passed = *e;
}

void perforder_round(struct perforder *o, bool all)
{
	const uint64_t limit_ns = all ? UINT64_MAX : o->limit_ns;
	size_t waiting;

	add_passed(o);
	o->given_ns = MAX(o->given_ns, limit_ns);
	o->limit_ns = o->round_ns;
	forget(o);
	waiting = o->n - o->nready;
	sort(o, o->nready);
	while (o->nready < o->n && o->v[o->nready].time_ns <= limit_ns)
		o->nready++;
	count_waiting(o, waiting);
}
