/*
 * switchclauses.h: clauses on what a switch between threads is (sched:::off-cpu, sleep, preempt,
 * on-cpu) that run whole in the kernel (clauseset.h).
 */
#ifndef PROVIDERS_KERNEL_KPROG_SWITCHCLAUSES_H
#define PROVIDERS_KERNEL_KPROG_SWITCHCLAUSES_H

#include "providers/kernel/kprog/clauseset.h"

/* When all is enabled: probes[] are those of the rows that are, NULL: that one is not. NULL: none
 * runs in the kernel. */
struct clause_set *switch_clauses_load(struct session *, struct bpf *, struct probe *const *probes,
				       unsigned nrows);

#endif
