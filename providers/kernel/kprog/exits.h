/*
 * exits.h: clauses follow curthread in events that are handled later than they happen, and that no
 * BPF program sees (samples, tracepoints): what they lead to of a thread that has ended since.
 */
#ifndef PROVIDERS_KERNEL_KPROG_EXITS_H
#define PROVIDERS_KERNEL_KPROG_EXITS_H

#include "providers/world/world.h"

/* When the probe is enabled: from the start on what its clauses read is kept of each thread that
 * ends. Without BPF nothing is. */
void exits_watch(const struct probe *);
/* Before the event fires: if its thread has ended, what was kept is its memory. */
void exits_lend(struct event *);
void world_exits_free(struct world *);

#endif
