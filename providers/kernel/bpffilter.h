/*
 * bpffilter.h: what the predicates of probes ask for, in the form that BPF programs walk (struct
 * bpf_filter).
 */
#ifndef PROVIDERS_KERNEL_BPFFILTER_H
#define PROVIDERS_KERNEL_BPFFILTER_H

#include "dlang/offload/pushdown.h"
#include "providers/kernel/bpfrec.h"

/* What a provider's programs know at an event: sets of bits for struct bpf_sieving. */
enum {
	BPF_KNOWS_PID = 1 << BPF_FILTER_PID,
	BPF_KNOWS_IDS = BPF_KNOWS_PID | 1 << BPF_FILTER_TID,
	BPF_KNOWS_UID = 1 << BPF_FILTER_UID,
	BPF_KNOWS_NAME = 1 << BPF_FILTER_NAME,
	BPF_KNOWS_RESULT = 1 << BPF_FILTER_RESULT | 1 << BPF_FILTER_ERRNO, /* arg0, arg1; errno */
	BPF_KNOWS_ARGS = 63 << BPF_FILTER_ARG0,				   /* arg0 and five more */
};

/* Adds what the probe's clauses ask for, as far as programs know it. */
void bpf_filter_add(struct filter *, const struct probe *, unsigned knows);

/* False: it has no room for all of it, and passes everything. */
bool bpf_filter_make(const struct filter *, unsigned knows, struct bpf_filter *);

#endif
