/*
 * numprov.h: what providers have in common whose events are a few numbers (struct bpf_numbers): a
 * table of rows and an object in the kernel are all that one of them is.
 */
#ifndef PROVIDERS_SYSTEM_NUMBERS_NUMPROV_H
#define PROVIDERS_SYSTEM_NUMBERS_NUMPROV_H

#include "providers/kernel/kprog/eventclauses.h"

/* Makes what it keeps for the run, and its probes. */
void numprov_create(struct session *, const struct bpf_probes *);
/* As bpf_probes_enable; its records are fired, or clauses of these rows run in the kernel. */
int numprov_enable(struct probe *, enum bpf_kind, const struct event_row *, unsigned nrows,
		   struct err *);

/* The first of these functions that this kernel has ("one|other"); 0: none, or it hides them. */
uint64_t numprov_function(struct world *, const char *names);

#endif
