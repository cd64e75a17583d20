/*
 * eventclauses.h: clauses of providers that one BPF object feeds (bpfprobe.h) run whole in the
 * kernel (clauseset.h): what the object's programs know of an event they put into a map, and call
 * the clauses' program (bpf/clauses.h).
 */
#ifndef PROVIDERS_KERNEL_KPROG_EVENTCLAUSES_H
#define PROVIDERS_KERNEL_KPROG_EVENTCLAUSES_H

#include "providers/kernel/bpfprobe.h"

struct event_clauses;

/* A row whose events may have such clauses. */
struct event_row {
	unsigned row;
	const char *event; /* the raw tracepoint of the program that calls them */
	const char *calls; /* the map by which it does */
};

/* When all is enabled, before the object is loaded. NULL: there are none. */
struct event_clauses *event_clauses_find(struct bpf_probes *, const struct event_row *, unsigned n);
/* When it is loaded. NULL, as it was given or because they cannot be: they make records. */
struct event_clauses *event_clauses_load(struct event_clauses *);
/* Hands over what is new. NULL: nothing. */
void event_clauses_collect(struct event_clauses *);
void event_clauses_free(struct event_clauses *);

#endif
