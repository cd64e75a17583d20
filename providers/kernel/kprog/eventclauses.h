/*
 * eventclauses.h: clauses of providers that one BPF object feeds (bpfprobe.h) run whole in the
 * kernel (clauseset.h): what the object's programs know of an event they put into a map, and call
 * the clauses' program (bpf/clauses.h).
 *
 * How a provider has its clauses run so: its programs include bpf/clauses.h, say CLAUSE_PROGRAM()
 * for each tracepoint, ask tell_clauses() with the words of the event before they make a record,
 * and end with RUN_CLAUSES(); a table says which rows each of these programs may fire; enabling a
 * probe, the provider calls event_clauses_use() with it. A program that tells of several events at
 * once says GATHERING_PROGRAM() instead, and its name stands in bpf_probes.gathering.
 */
#ifndef PROVIDERS_KERNEL_KPROG_EVENTCLAUSES_H
#define PROVIDERS_KERNEL_KPROG_EVENTCLAUSES_H

#include "providers/kernel/bpfprobe.h"

/* One program of the object that calls clauses. */
struct event_row {
	unsigned rows; /* that it may fire, bits */
	const char
		*event; /* its raw tracepoint, or "cgroup_skb/..."; NULL: it is of perf's events */
	const char *calls; /* its CLAUSE_PROGRAM() */
	bool is_own;	   /* the event is of the thread that runs */
};

/* Of a provider whose `loaded` and the like are its own no more; `prepare` and `loaded`, if it has
 * them, come first. The same again does nothing. */
void event_clauses_use(struct bpf_probes *, const struct event_row *, unsigned n);

#endif
