/*
 * tscline.h: from the time stamp counter to CLOCK_MONOTONIC, by a line through the last two moments
 * at which both were read.
 */
#ifndef INJECT_TSCLINE_H
#define INJECT_TSCLINE_H

#include "base/base.h"

struct tscline {
	uint64_t tsc, ns;	  /* the latest moment */
	uint64_t mult;		  /* ns per tick, times 2^32, between it and the one before */
	uint64_t old_tsc, old_ns; /* that one */
};

/* Is the counter the same on all CPUs, and steady? NULL, or why not. */
const char *tscline_unusable(void);
void tscline_start(struct tscline *);
/* Both are read now, and the line ends there if it was not a moment ago. Returns the time. */
uint64_t tscline_fit(struct tscline *);
uint64_t tscline_ns(const struct tscline *, uint64_t tsc);

#endif
