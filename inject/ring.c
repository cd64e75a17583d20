#include "inject/ring.h"

#include <stdlib.h>

#include "base/err.h"

#define WORD	      8
#define RECORD_MAX    UINT16_MAX
#define SHORT	      4		   /* words */
#define TELL_AT(size) ((size) / 8) /* bytes read before the writer is told */

struct rings {
	struct ring **v, **heap; /* heap: those with a record, the oldest first */
	unsigned n, room, nheap;
	struct tscline line;
	uint64_t to_ns; /* when was looked: what is found is not younger */
	uint64_t words[RECORD_MAX];
};

struct rings *rings_new(void)
{
	struct rings *rs = xcalloc(1, sizeof(*rs));

	tscline_start(&rs->line);
	rs->to_ns = rs->line.now.ns;
	return rs;
}

void rings_free(struct rings *rs)
{
	if (!rs)
		return;
	free(rs->v);
	free(rs->heap);
	free(rs);
}

void rings_add(struct rings *rs, struct ring *r)
{
	if (rs->n == rs->room) {
		rs->room = 2 * rs->room + 8;
		rs->v = xrealloc(rs->v, rs->room * sizeof(struct ring *));
		rs->heap = xrealloc(rs->heap, rs->room * sizeof(struct ring *));
	}
	rs->v[rs->n++] = r;
}

void rings_remove(struct rings *rs, struct ring *r)
{
	rs->nheap = 0;
	for (unsigned i = 0; i < rs->n; i++)
		if (rs->v[i] == r)
			rs->v[i--] = rs->v[--rs->n];
	free(r->gaps);
	r->gaps = NULL;
	r->gap = r->ngaps = r->gaps_room = 0;
}

/* ---- one ring ---- */

static const void *at(const struct ring *r, uint64_t pos)
{
	return r->data + (pos & (r->size - 1));
}

/* Nothing that is there can be believed: all of it is left out. */
static bool give_up(struct ring *r)
{
	r->nbad++;
	r->is_broken = true;
	r->tail = r->head;
	r->gap = r->ngaps = 0;
	return false;
}

/* Bytes from there to the end of the ring. */
static uint64_t left(const struct ring *r, uint64_t pos)
{
	return r->size - (pos & (r->size - 1));
}

static bool is_sound(const struct ring *r, const struct hook_record *rec)
{
	uint64_t bytes = (uint64_t)rec->words * WORD;
	uint64_t end = r->gap < r->ngaps ? r->gaps[r->gap].from : r->head;

	return rec->words && bytes <= end - r->tail && bytes <= left(r, r->tail) &&
	       rec->site < *r->nsites;
}

/* ---- gaps ---- */

static void add_gap(struct ring *r, uint64_t from, uint64_t to)
{
	if (r->ngaps == r->gaps_room) {
		r->gaps_room = 2 * r->gaps_room + 8;
		r->gaps = xrealloc(r->gaps, r->gaps_room * sizeof(*r->gaps));
	}
	r->gaps[r->ngaps++] = (struct ring_gap){from, to};
}

/*
 * The last one first, back to what was the head before. Those behind the head are for later. Each
 * lies before the one that was seen before it, and before the head or behind it: then a walk along
 * them and the records comes to the head, and ends there.
 */
static bool find_gaps(struct ring *r, uint64_t old_head)
{
	uint64_t pos = __atomic_load_n(&r->block->gap, __ATOMIC_ACQUIRE), end = r->tail + r->size;
	struct hook_gap gap;

	for (; pos > old_head; pos = gap.before) {
		if (pos >= end || end - pos < sizeof(gap) || pos % WORD ||
		    left(r, pos) < sizeof(gap))
			return false;
		if (pos < r->head && r->head - pos < sizeof(gap))
			return false;
		memcpy(&gap, at(r, pos), sizeof(gap));
		if (gap.from >= pos || gap.from < old_head || gap.from % WORD ||
		    gap.before > gap.from)
			return false;
		if (pos < r->head)
			add_gap(r, gap.from, pos + sizeof(gap));
		end = gap.from;
	}
	return true;
}

static bool look_for_gaps(struct ring *r, uint64_t old_head)
{
	unsigned known = r->ngaps - r->gap;
	bool is_sound;

	if (r->gap)
		memmove(r->gaps, r->gaps + r->gap, known * sizeof(*r->gaps));
	r->gap = 0;
	r->ngaps = known;
	is_sound = find_gaps(r, old_head);
	for (unsigned i = known, k = r->ngaps; i + 1 < k; i++) {
		struct ring_gap last = r->gaps[--k];

		r->gaps[k] = r->gaps[i];
		r->gaps[i] = last;
	}
	return is_sound;
}

/* Over the gap that begins at the tail, if one does. */
static void cross_gap(struct ring *r)
{
	if (r->gap < r->ngaps && r->tail == r->gaps[r->gap].from)
		r->tail = r->gaps[r->gap++].to;
}

/* Finds the next record and its time. False: there is none. */
static bool peek(struct rings *rs, struct ring *r)
{
	uint32_t flags;
	uint64_t tsc;

	cross_gap(r);
	if (r->tail == r->head)
		return false;
	memcpy(&r->next, at(r, r->tail), sizeof(r->next));
	if (!is_sound(r, &r->next))
		return give_up(r);
	flags = r->sites[r->next.site].flags;
	r->time_ns = r->tail >= r->mark ? r->mark_ns : r->floor_ns;
	if (flags & HOOK_TIME) {
		if (r->next.words < 2)
			return give_up(r);
		memcpy(&tsc, at(r, r->tail + WORD), sizeof(tsc));
		r->time_ns = MIN(tscline_ns(&rs->line, tsc), rs->to_ns);
	}
	if (r->time_ns < r->last_ns)
		r->time_ns = r->last_ns;
	return true;
}

/* then_ns: when was looked before. A mark that has been read is set anew. */
static void look(struct ring *r, uint64_t then_ns)
{
	uint64_t old_head = r->head;

	if (r->tail >= r->mark) {
		r->floor_ns = r->mark_ns;
		r->mark = r->head;
		r->mark_ns = then_ns;
	}
	r->head = __atomic_load_n(&r->block->head, __ATOMIC_ACQUIRE);
	if (r->head - r->tail > r->size || r->head % WORD) {
		r->head &= ~(uint64_t)(WORD - 1);
		give_up(r);
	} else if (!look_for_gaps(r, old_head)) {
		give_up(r);
	}
}

static void tell(struct ring *r)
{
	if (r->told != r->tail)
		__atomic_store_n(&r->block->tail, r->tail, __ATOMIC_RELEASE);
	r->told = r->tail;
}

/* ---- all of them ---- */

static void swap(struct rings *rs, unsigned i, unsigned j)
{
	struct ring *r = rs->heap[i];

	rs->heap[i] = rs->heap[j];
	rs->heap[j] = r;
}

static void sift_down(struct rings *rs, unsigned i)
{
	for (;;) {
		unsigned least = i;

		for (unsigned k = 2 * i + 1; k <= 2 * i + 2 && k < rs->nheap; k++)
			if (rs->heap[k]->time_ns < rs->heap[least]->time_ns)
				least = k;
		if (least == i)
			return;
		swap(rs, i, least);
		i = least;
	}
}

/* The heads first: what is visible then is not younger than to_ns. */
void rings_look(struct rings *rs)
{
	for (unsigned i = 0; i < rs->n; i++) {
		tell(rs->v[i]);
		look(rs->v[i], rs->to_ns);
	}
	rs->to_ns = tscline_fit(&rs->line);
	rs->nheap = 0;
	for (unsigned i = 0; i < rs->n; i++)
		if (peek(rs, rs->v[i]))
			rs->heap[rs->nheap++] = rs->v[i];
	for (unsigned i = rs->nheap / 2; i-- > 0;)
		sift_down(rs, i);
}

/* Most records are short: a copy whose length is known takes less time than a call, and what is
 * behind them is not looked at. */
static void copy_words(uint64_t *to, const struct ring *r, uint64_t pos, unsigned n)
{
	if (n <= SHORT && left(r, pos) >= SHORT * WORD)
		memcpy(to, at(r, pos), SHORT * WORD);
	else
		memcpy(to, at(r, pos), (size_t)n * WORD);
}

static void take(struct rings *rs, struct ring *r, struct ring_record *out)
{
	*out = (struct ring_record){.ring = r,
				    .time_ns = r->time_ns,
				    .site = r->next.site,
				    .cpu = r->next.cpu & HOOK_CPU_MASK,
				    .is_after_loss = r->next.cpu & HOOK_AFTER_LOSS || r->is_broken,
				    .words = rs->words,
				    .nwords = r->next.words - 1U};
	copy_words(rs->words, r, r->tail + WORD, out->nwords);
	r->is_broken = false;
	r->last_ns = r->time_ns;
	r->tail += (uint64_t)r->next.words * WORD;
	if (r->tail - r->told >= TELL_AT(r->size))
		tell(r);
}

uint64_t rings_oldest(const struct rings *rs)
{
	return rs->nheap ? rs->heap[0]->time_ns : UINT64_MAX;
}

void rings_take(struct rings *rs, struct ring_record *out)
{
	struct ring *r = rs->heap[0];

	take(rs, r, out);
	if (!peek(rs, r))
		rs->heap[0] = rs->heap[--rs->nheap];
	sift_down(rs, 0);
}
