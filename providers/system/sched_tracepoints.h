/*
 * sched_tracepoints.h: what the scheduler does, where no program may be loaded into the kernel:
 * from tracepoints that perf reads; of traced programs alone, without privileges, from perf's
 * records of their switches.
 */
#ifndef PROVIDERS_SYSTEM_SCHED_TRACEPOINTS_H
#define PROVIDERS_SYSTEM_SCHED_TRACEPOINTS_H

#include "providers/kernel/perf.h"
#include "providers/kernel/bpfrec.h"
#include "providers/system/taskdetail.h"

struct sched_tracepoints;

/* It has happened in the thread of ev, to the one in `about`, which lives until the function
 * returns; NULL: nobody reads it. */
typedef void sched_tracepoints_fn(void *arg, enum bpf_sched_row, struct event *ev,
				  const struct bpf_task *about);

/* The texts stay the caller's. */
struct sched_tracepoints *sched_tracepoints_new(struct world *, struct perf *, struct taskdetail *,
						sched_tracepoints_fn *, void *arg);

/* Listens for what a row needs, for clauses that read `needs`. Errors: -ENOENT without a sentence
 * where it cannot be told this way; of opening. */
int sched_tracepoints_add(struct sched_tracepoints *, enum bpf_sched_row, unsigned needs,
			  struct err *);

void sched_tracepoints_free(struct sched_tracepoints *); /* perf calls it no more */

#endif
