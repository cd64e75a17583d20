/*
 * reserve.h: where the next record of a thread is written, and how it comes to exist (struct
 * hook_block). A signal handler that records as well may come between any two instructions, and may
 * never return: it makes its own reservation, and all that is done here is right whether it came or
 * not.
 */
#ifndef HOOK_RESERVE_H
#define HOOK_RESERVE_H

#include "hook/hook.h"
#include "hook/inorder.h"

struct reservation { /* counted as the head is */
	uint64_t head;
	uint64_t start; /* the head, or the end of a gap: of struct hook_gap, then the record */
	uint64_t end;	/* it reaches no further */
};

#pragma GCC visibility push(hidden)

/* The same for a record of at most `size` bytes where there is no room at the head. False: there is
 * no room. */
bool ring_find_gap(struct hook_block *, uint64_t size, struct reservation *);
/* As ring_commit, behind a gap. */
bool ring_commit_gap(struct hook_block *, const struct reservation *, uint64_t end);
/* A handler has moved the head: nothing will be written there any more. */
void ring_give_back(struct hook_block *, const struct reservation *, uint64_t end);

#pragma GCC visibility pop

static inline void set(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}

/* Atomic towards signal handlers of this thread; nobody else writes the word. */
static inline bool exchange(uint64_t *word, uint64_t from, uint64_t to)
{
	bool done;

	__asm__ volatile("cmpxchgq %3, %1"
			 : "=@cce"(done), "+m"(*word), "+a"(from)
			 : "r"(to)
			 : "memory");
	return done;
}

static inline char *in_ring(const struct hook_block *b, uint64_t pos)
{
	return (char *)(b->ring + (pos & (b->ring_size - 1)));
}

/* Where a record of at most `size` bytes may be written until ring_commit. NULL: there is no room.
 */
static inline uint64_t *ring_reserve(struct hook_block *b, uint64_t size, struct reservation *p)
{
	for (;;) {
		uint64_t limit = look_at(&b->limit), busy = look_at(&b->busy);

		in_order(); /* what is right for an earlier head is right for this one */
		p->head = p->start = look_at(&b->head);
		p->end = p->head + size;
		if (__builtin_expect(p->end > limit || busy > p->head, 0) &&
		    !ring_find_gap(b, size, p))
			return NULL;
		set(&b->busy, p->end);
		in_order();
		if (__builtin_expect(look_at(&b->head) == p->head, 1))
			break;
		ring_give_back(b, p, p->end);
	}
	if (__builtin_expect(p->start == p->head, 1))
		return (uint64_t *)in_ring(b, p->start);
	*(struct hook_gap *)in_ring(b, p->start) = (struct hook_gap){p->head, look_at(&b->gap)};
	return (uint64_t *)(in_ring(b, p->start) + sizeof(struct hook_gap));
}

/* The record, `size` bytes in all, exists; false: the room is another's, and is given back. */
static inline bool ring_commit(struct hook_block *b, const struct reservation *p, uint64_t size)
{
	bool is_behind_gap = p->start != p->head, done;
	uint64_t end = p->start + size + (is_behind_gap ? sizeof(struct hook_gap) : 0);

	in_order();
	if (end != p->end && look_at(&b->busy) == p->end)
		set(&b->busy, end);
	in_order();
	done = __builtin_expect(is_behind_gap, 0) ? ring_commit_gap(b, p, end)
						  : exchange(&b->head, p->head, end);
	if (__builtin_expect(!done, 0))
		ring_give_back(b, p, end);
	return done;
}

#endif
