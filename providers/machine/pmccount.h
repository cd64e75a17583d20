/*
 * pmccount.h: aggregations of samples that are kept in the kernel, by keys (kernel/bpf/pmc.bpf.c).
 */
#ifndef PROVIDERS_MACHINE_PMCCOUNT_H
#define PROVIDERS_MACHINE_PMCCOUNT_H

#include "providers/machine/pmc.h"

/*
 * When the probe is enabled. True: its events are counted there, and become records only where
 * there is no room for a key. False: it is to have records, as its clauses do something else, or
 * the kernel, or what others ask for, does not let it be.
 */
bool pmc_counts_by_keys(struct pmc_probe *);
void pmc_count_free(struct session *);

#endif
