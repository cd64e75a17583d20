/*
 * tpclauses.h: clauses on tracepoints that run whole in the kernel (clauseset.h): each tracepoint
 * has a program of its own, which the kernel runs in place of writing a record.
 *
 * A provider adds its probes, all of them before it asks about one, and feeds by records those that
 * tp_clauses_have() does not name.
 */
#ifndef PROVIDERS_KERNEL_KPROG_TPCLAUSES_H
#define PROVIDERS_KERNEL_KPROG_TPCLAUSES_H

#include "providers/kernel/kprog/clausecode.h"

struct tp_clauses;

/* What is known of the events of one probe. What it points to lives as long as the run. */
struct tp_clauses_event {
	struct probe *probe;
	uint64_t id; /* of its format */
	const struct clause_field *fields;
	unsigned nfields;
	uint64_t args[2]; /* arg0, arg1 */
	bool leaves_own_out;
	bool has_no_stack; /* of the kernel, in its record */
	const char *raw;   /* it may be a tracepoint of the kernel of that name; NULL: it is none */
};

/* Whether the provider counts what the clause does by itself. */
typedef bool tp_clauses_counts_fn(const struct clause *);

/* All processes are meant. NULL: programs cannot be had, or must not be used here. */
struct tp_clauses *tp_clauses_new(struct session *, const struct provider *,
				  tp_clauses_counts_fn *);
/* More than there is room for make records. */
void tp_clauses_add(struct tp_clauses *, const struct tp_clauses_event *);
/* When all have been added: which of their clauses run in the kernel. */
void tp_clauses_find(struct tp_clauses *);
/* NULL: none do. */
bool tp_clauses_have(const struct tp_clauses *, const struct probe *);
/* Tracing starts. False: the kernel refuses them, and all make records. */
bool tp_clauses_start(struct tp_clauses *);
void tp_clauses_collect(struct tp_clauses *); /* hands over what is new; NULL: nothing */
void tp_clauses_free(struct tp_clauses *);    /* the same */

#endif
