/*
 * stackcopy.h: the stack of a stopped thread, copied in bulk for one walk. What lies elsewhere (the
 * stack a signal handler was called from) comes by pages.
 */
#ifndef TRACER_UNWIND_STACKCOPY_H
#define TRACER_UNWIND_STACKCOPY_H

#include "tracer/tracer_priv.h"

#define STACKCOPY_MAX	65536U
#define STACKCOPY_PAGES 8

struct stackcopy {
	struct proc *proc;
	taddr_t start; /* of bytes[]: below rsp, with the red zone */
	size_t len;    /* copied; no more can be had when is_short */
	size_t used;   /* how much of it the last walk came through */
	bool is_short;
	bool is_given; /* the thread has gone on: nothing but bytes[] is of the moment that is meant
			*/
	struct {
		taddr_t addr;
		bool valid;
		uint8_t bytes[PAGE];
	} pages[STACKCOPY_PAGES];
	uint8_t bytes[STACKCOPY_MAX];
};

/* Starts a walk: copies about as much as the last one needed. */
void stackcopy_begin(struct stackcopy *, struct proc *, taddr_t rsp);
/* The same with what was copied when the thread was at rsp; nothing else is read. */
void stackcopy_given(struct stackcopy *, struct proc *, taddr_t rsp, const void *bytes, size_t n);
/* Ends a walk that came as far as rsp. */
void stackcopy_end(struct stackcopy *, taddr_t rsp);
bool stackcopy_fetch(struct stackcopy *, taddr_t addr, uint64_t *v);

/* Eight bytes of the stack, or of any memory; false: unreadable. */
static inline bool stackcopy_word(struct stackcopy *s, taddr_t addr, uint64_t *v)
{
	uint64_t off = addr - s->start;

	if (off >= s->len || s->len - off < 8)
		return stackcopy_fetch(s, addr, v);
	memcpy(v, s->bytes + off, 8);
	return true;
}

#endif
