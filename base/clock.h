/* clock.h: the kernel's clocks, in nanoseconds. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <time.h>

#include "base/base.h"

uint64_t clock_ns(clockid_t); /* one that is always there (clock_gettime(2)) */

static inline uint64_t now_mono(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
