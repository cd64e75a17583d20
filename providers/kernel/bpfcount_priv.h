/* bpfcount_priv.h: what the files that choose what is counted (bpfcount.c) and hand it over
 * (bpfcollect.c) share. */
#ifndef PROVIDERS_KERNEL_BPFCOUNT_PRIV_H
#define PROVIDERS_KERNEL_BPFCOUNT_PRIV_H

#include "base/hash.h"
#include "providers/kernel/bpfcount.h"
#include "providers/world/userstack.h"

/* A key of the map, and what of it was handed over. */
struct seen {
	struct bpf_count_key key;
	struct bpf_count_squares value;
	struct seen *next; /* with the same sum of the key */
};

/* A statement that is counted. */
struct counted {
	struct keyed keyed;
	struct bpf_count_part parts[BPF_COUNT_KEYS];
	unsigned nparts;
	unsigned besides;	    /* bits of bpf_counts.words */
	struct bpf_count_keys made; /* of programs that were made for it */
	struct bpf_count count;
};

struct bpf_counter {
	struct session *session;
	const struct bpf_word *words;
	unsigned nwords;
	struct counted stmts[BPF_COUNT_MADE];
	unsigned nstmts;
	struct hash probes; /* by row */
	struct hash seen;
	uint64_t *data; /* of one value; of the largest aggregation */
	unsigned ndata;
	uint64_t *record; /* what of it texts are made of */
	size_t record_size;
	int stacks_fd;
	uint64_t *stack, *ustack; /* elements of it */
	int texts_fd;
	char *texts; /* BPF_COUNT_TEXTS elements of it */
	size_t text_size;
	struct userstack user;
	size_t stack_size;
	char *keys, *values; /* AT_ONCE; values for each of the CPUs */
	bpf_interned_fn *interned;
	void *interned_arg;
	struct bpf_count_value *places; /* what of each of each CPU was handed over */
	int ncpus;
};

/* Of keys and values in the map, which are as short as they can be. */
size_t bpf_count_key_size(const struct bpf_counter *);
size_t bpf_count_value_size(const struct bpf_counter *);

#endif
