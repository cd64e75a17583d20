/*
 * perfclauses.h: clauses on events of perf (tracepoints, samples of the clock) that run whole in
 * the kernel (clauseset.h): each event has a program of its own, which the kernel runs in place of
 * writing a record.
 *
 * A provider adds its probes, all of them before it asks about one, and feeds by records those that
 * perf_clauses_have() does not name.
 */
#ifndef PROVIDERS_KERNEL_KPROG_PERFCLAUSES_H
#define PROVIDERS_KERNEL_KPROG_PERFCLAUSES_H

#include "providers/kernel/kprog/clausecode.h"

struct perf_clauses;

/* What is known of the events of one probe. What it points to lives as long as the run. */
struct perf_clauses_event {
	struct probe *probe;
	enum clause_kind kind; /* CLAUSES_OF_TRACEPOINTS, CLAUSES_OF_SAMPLES */
	uint64_t config;       /* of perf_event_attr */
	uint64_t period;       /* of samples */
	const struct clause_field *fields;
	unsigned nfields;
	uint64_t args[2]; /* of tracepoints: arg0, arg1 */
	bool leaves_own_out;
	bool has_no_stack; /* of the kernel, in its record */
};

/* Whether the provider counts what the clause does by itself. */
typedef bool perf_clauses_counts_fn(const struct clause *);

/* All processes are meant. NULL: programs cannot be had, or must not be used here. */
struct perf_clauses *perf_clauses_new(struct session *, const struct provider *,
				      perf_clauses_counts_fn *);
/* More than there is room for make records. */
void perf_clauses_add(struct perf_clauses *, const struct perf_clauses_event *);
/* When all have been added: which of their clauses run in the kernel. */
void perf_clauses_find(struct perf_clauses *);
/* NULL: none do. */
bool perf_clauses_have(const struct perf_clauses *, const struct probe *);
/* Tracing starts. False: the kernel refuses them, and all make records. */
bool perf_clauses_start(struct perf_clauses *);
void perf_clauses_collect(struct perf_clauses *); /* hands over what is new; NULL: nothing */
void perf_clauses_free(struct perf_clauses *);	  /* the same */

#endif
