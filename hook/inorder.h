/*
 * inorder.h: memory that a thread and the handlers of its signals share: a handler may come between
 * any two instructions, and sees what stands before as done, what follows as not begun.
 */
#ifndef HOOK_INORDER_H
#define HOOK_INORDER_H

#include <stdbool.h>
#include <stdint.h>

/* What follows is done after what stands before, as a handler sees it. */
static inline void in_order(void)
{
	__atomic_signal_fence(__ATOMIC_ACQ_REL);
}

static inline uint64_t look_at(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* Two words side by side, aligned, at once. False: they are not what they were. */
struct two_words {
	_Alignas(16) uint64_t v[2];
};
static inline bool swap_both(struct two_words *words, struct two_words from, struct two_words to)
{
	bool done;

	__asm__ volatile("cmpxchg16b %1"
			 : "=@cce"(done), "+m"(*words), "+a"(from.v[0]), "+d"(from.v[1])
			 : "b"(to.v[0]), "c"(to.v[1])
			 : "memory");
	return done;
}

#endif
