/* reserve.c: room for a record where the one at the head is not free. */
#include "hook/reserve.h"

#define LAP (1UL << 20)

/* ---- where interrupted records may still write ---- */

static uint64_t stretch(const struct hook_block *b, uint64_t from, uint64_t to)
{
	uint64_t at = from & (b->ring_size - 1);

	return at / 8 | (at + to - from) / 8 << 32;
}

/* What ends at `busy` and begins at the head, or with a round. */
static uint64_t interrupted(const struct hook_block *b, uint64_t head, uint64_t busy)
{
	uint64_t round = (busy - 1) & ~(b->ring_size - 1);

	return stretch(b, head > round ? head : round, busy);
}

static uint64_t start_of(uint64_t stretch)
{
	return (stretch & UINT32_MAX) * 8;
}

static uint64_t end_of(uint64_t stretch)
{
	return (stretch >> 32) * 8;
}

static void keep(struct hook_block *b, uint64_t word)
{
	for (unsigned i = 0; i < HOOK_KEPT; i++)
		if (look_at(&b->kept[i]) == word)
			return;
	for (unsigned i = 0; i < HOOK_KEPT; i++)
		if (exchange(&b->kept[i], 0, word))
			return;
	set(&b->kept[b->nkept++ % HOOK_KEPT], word);
}

/* Whatever was kept because of us ends where we might have written to. */
void ring_give_back(struct hook_block *b, const struct reservation *p, uint64_t end)
{
	uint64_t last = end_of(stretch(b, p->start, p->end));
	uint64_t meant = end_of(stretch(b, p->start, end));

	exchange(&b->busy, p->end, 0); /* all that was busy lies before the new head */
	for (unsigned i = 0; i < HOOK_KEPT; i++) {
		uint64_t word = look_at(&b->kept[i]);

		if (word && (end_of(word) == last || end_of(word) == meant))
			exchange(&b->kept[i], word, 0);
	}
}

/* The end of what is kept of [at, at + size) of the ring; 0: nothing. */
static uint64_t kept_in(const struct hook_block *b, uint64_t at, uint64_t size)
{
	for (unsigned i = 0; i < HOOK_KEPT; i++) {
		uint64_t word = look_at(&b->kept[i]);

		if (start_of(word) < at + size && end_of(word) > at)
			return end_of(word);
	}
	return 0;
}

/* ---- room ---- */

/* How far records can be written one after the other, from `start` on. */
static uint64_t limit_at(const struct hook_block *b, uint64_t start, uint64_t tail)
{
	uint64_t at = start & (b->ring_size - 1), next = at < LAP ? LAP : (at | (PAGE - 1)) + 1;

	next = next < b->ring_size ? next : b->ring_size;
	for (unsigned i = 0; i < HOOK_KEPT; i++) {
		uint64_t word = look_at(&b->kept[i]);

		if (end_of(word) > at && start_of(word) < next)
			next = start_of(word);
	}
	next += start - at;
	return next < tail + b->ring_size ? next : tail + b->ring_size;
}

/*
 * All has been read, and still there is no room: the ring is too small for what is kept, and
 * records that were never finished must not keep it for ever.
 */
static void forget_all(struct hook_block *b, uint64_t head)
{
	for (unsigned i = 0; i < HOOK_KEPT; i++)
		set(&b->kept[i], 0);
	set(&b->busy, head);
}

bool ring_find_gap(struct hook_block *b, uint64_t size, struct reservation *p)
{
	uint64_t tail = __atomic_load_n(&b->tail, __ATOMIC_ACQUIRE);
	uint64_t busy = look_at(&b->busy), start, room, past;

	if (!b->ring_size)
		return false;
	in_order(); /* as in ring_reserve */
	p->head = look_at(&b->head);
	start = busy > p->head ? busy : p->head;
	for (;;) {
		uint64_t at = start & (b->ring_size - 1);

		room = start == p->head ? size : size + sizeof(struct hook_gap);
		if (start + room - tail > b->ring_size) {
			if (tail == p->head)
				forget_all(b, p->head);
			return false;
		}
		past = kept_in(b, at, room);
		/* Is the ring's end near, or a round over and nearly everything read? */
		if (at + room > b->ring_size || (at >= LAP && start - tail <= LAP / 8))
			past = b->ring_size;
		if (!past)
			break;
		start += past - at;
	}
	if (busy > p->head)
		keep(b, interrupted(b, p->head, busy));
	else if (start == p->head)
		set(&b->limit, limit_at(b, start, tail));
	p->start = start;
	p->end = start + room;
	return true;
}

/* Both words at once, also for the reader on another CPU: a head without its gap would lead into
 * it. */
bool ring_commit_gap(struct hook_block *b, const struct reservation *p, uint64_t end)
{
	uint64_t before = ((const struct hook_gap *)in_ring(b, p->start))->before;
	uint64_t head = p->head;
	bool done;

	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@cce"(done), "+m"(b->head), "+m"(b->gap), "+a"(head), "+d"(before)
			 : "b"(end), "c"(p->start)
			 : "memory");
	return done;
}
