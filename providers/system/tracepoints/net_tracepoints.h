/*
 * net_tracepoints.h: sockets as the tracepoints of a recording tell of them: what becomes of
 * connections, what processes send and read, what is sent again. They know no packets, and of TCP
 * no more than its state.
 */
#ifndef PROVIDERS_SYSTEM_TRACEPOINTS_NET_TRACEPOINTS_H
#define PROVIDERS_SYSTEM_TRACEPOINTS_NET_TRACEPOINTS_H

#include "providers/kernel/netrec.h"
#include "providers/kernel/perf.h"

struct net_tracepoints;

/* What a BPF program would have told, in the name of ev's thread: of a socket whose owner is known,
 * the owner's. */
typedef void net_tracepoints_fn(void *arg, const struct bpf_net *, struct event *ev);

struct net_tracepoints *net_tracepoints_new(struct world *, struct perf *, net_tracepoints_fn *,
					    void *arg);
/* Listens for what a row needs, for clauses that read `needs`. Errors: -ENOENT: no tracepoint tells
 * of it, or the recording does not have it: the sentence says which it would have to. */
int net_tracepoints_add(struct net_tracepoints *, enum bpf_net_row, unsigned needs, struct err *);
void net_tracepoints_free(struct net_tracepoints *); /* perf calls it no more */

#endif
