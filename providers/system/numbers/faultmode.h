/*
 * faultmode.h: at which of the two ends of a page fault programs run (bpf/faults.h): to be there
 * costs more than all that is done.
 */
#ifndef PROVIDERS_SYSTEM_NUMBERS_FAULTMODE_H
#define PROVIDERS_SYSTEM_NUMBERS_FAULTMODE_H

#include "providers/kernel/bpfprobe.h"

/* Rows of the provider's table, as bits: those of faults; those that depend on whether anything is
 * kept of a page; those that can be told at one end. */
struct fault_rows {
	unsigned all, by_page, at_begin, at_end;
};

/* When all is enabled, before it is loaded. `wants` begins a struct bpf_faults_wants. */
void faultmode_choose(struct bpf_probes *, const struct fault_rows *);

#endif
