/*
 * inorder.h: memory that a thread and the handlers of its signals share: a handler may come between
 * any two instructions, and sees what stands before as done, what follows as not begun.
 */
#ifndef HOOK_INORDER_H
#define HOOK_INORDER_H

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

#endif
