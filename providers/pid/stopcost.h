/*
 * stopcost.h: for how long threads stand still at breakpoints, measured now and then: from one stop
 * of a thread to its next one, how long it has been on no CPU.
 */
#ifndef PROVIDERS_PID_STOPCOST_H
#define PROVIDERS_PID_STOPCOST_H

#include "base/base.h"

#include <sys/types.h>

struct stopcost { /* zeros at first */
	uint64_t nstops;
	pid_t sampled; /* 0: none */
	struct stopcost_moment {
		uint64_t wall_ns, cpu_ns;
	} from;
	/* off_ns: of all samples, on no CPU; and the shortest that one was on a CPU, as a thread is
	 * in the kernel for each stop */
	uint64_t nsamples, off_ns, least_cpu_ns;
};

/* A thread has stopped, and what it stopped for has been done. */
void stopcost_add(struct stopcost *, pid_t tid);
/* How long threads stood still for so many stops; 0: nothing has been measured. */
uint64_t stopcost_ns(const struct stopcost *, uint64_t nstops);

#endif
