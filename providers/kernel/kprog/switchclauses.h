/*
 * switchclauses.h: clauses on switches between threads and on the queues of CPUs (sched:::off-cpu,
 * sleep, preempt, on-cpu, wakeup, enqueue, dequeue) that run whole in the kernel (clauseset.h).
 */
#ifndef PROVIDERS_KERNEL_KPROG_SWITCHCLAUSES_H
#define PROVIDERS_KERNEL_KPROG_SWITCHCLAUSES_H

#include "providers/kernel/kprog/clauseset.h"

/* When all is enabled: probes[] are those of the rows that are, NULL: that one is not. NULL: none
 * runs in the kernel. */
struct clause_set *switch_clauses_load(struct session *, struct bpf *, struct probe *const *probes,
				       unsigned nrows);

#endif
