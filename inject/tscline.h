/*
 * tscline.h: from the time stamp counter to CLOCK_MONOTONIC, by a line through the latest moment at
 * which both were read. Its slope is that of the last second or two: of a shorter time it would be
 * the noise of reading.
 */
#ifndef INJECT_TSCLINE_H
#define INJECT_TSCLINE_H

#include "base/base.h"

struct tscline {
	struct tscmoment {
		uint64_t tsc, ns;
	} now, base, mid; /* base, mid: earlier ones; mid becomes the base */
#define TSCLINE_BITS 32
	uint64_t mult; /* ns per tick, times 2^TSCLINE_BITS */
	uint64_t gap;  /* ticks of the quickest reading so far: a much slower one was interrupted */
};

/* Is the counter the same on all CPUs, and steady? NULL, or why not. */
const char *tscline_unusable(void);
void tscline_start(struct tscline *);
/* Both are read now, and the line goes through there, if that is worth it. Returns the time. */
uint64_t tscline_fit(struct tscline *);
uint64_t tscline_ns(const struct tscline *, uint64_t tsc);

#endif
