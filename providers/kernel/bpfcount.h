/*
 * bpfcount.h: aggregations that BPF programs keep for a table of probes (bpf/count.h): which
 * clauses that may be, and how what was counted comes back.
 *
 * How a provider has its events counted: its programs include bpf/count.h, call count_row() (or
 * count_passed(), if they have asked the filter themselves) before
 * they make a record, with the words of the event, and leave the record out where all rows that it
 * is of have been counted (else their bits go into head.counted); its table says which args[] the
 * words are; what is counted is handed over by bpfprobe.c.
 */
#ifndef PROVIDERS_KERNEL_BPFCOUNT_H
#define PROVIDERS_KERNEL_BPFCOUNT_H

#include "dlang/offload/claim.h"
#include "providers/kernel/bpf.h"
#include "providers/kernel/bpffilter.h"

struct bpf_counter;

struct bpf_counter *bpf_counter_new(struct session *, const struct bpf_word *, unsigned nwords);
void bpf_counter_free(struct bpf_counter *);

/* What is counted, from the beginning. */
void bpf_counter_reset(struct bpf_counter *, struct bpf_counts *);
/*
 * The clauses of the probe, whose events programs tell by the number `row`; `words` is its bit of
 * struct bpf_word. Returns the statements of `counts` that are to be done at each, a bit for each;
 * 0: they are to have records.
 */
unsigned char bpf_counter_add(struct bpf_counter *, struct bpf_counts *, unsigned row,
			      unsigned words, const struct probe *);
/*
 * The keys that a program has which was made for its statement (kprog/clausecode.h): numbers, in
 * the order of the statement; texts; words that stand for stacks (bpf_counter_stacks()).
 */
#define BPF_COUNT_TEXTS 4
/* Of a text that follows from the record: bytes at args[arg] + off, from a word of the key on. */
struct bpf_count_part {
	unsigned arg, key, size;
	size_t off;
};
struct bpf_count_keys {
	unsigned n; /* words, of all of them */
	bool has_name;
	unsigned stack_at, ustack_at; /* the words of a stack of the kernel, of the process */
	bool has_stack, has_ustack;
	struct bpf_count_text {
		const struct action *key;
		const char *texts; /* the word says where in these it begins; NULL: its bytes are in
				    * the words, of which the last ends with a zero; of an
				    * array all of them */
		unsigned at;
		bool is_copied; /* two words stand for it (bpf_counter_texts()) */
	} texts[BPF_COUNT_TEXTS];
	unsigned ntexts;
	struct bpf_count_part parts[BPF_COUNT_KEYS];
	unsigned nparts;
	unsigned interned_at; /* two words that stand for what texts are made of */
	bool has_interned;
};
/*
 * Returns the number of the statement, of BPF_COUNT_MADE; -1: there is no room, or its function
 * cannot be kept in a map. *made is what it counts; with no counter only that is done.
 */
int bpf_counter_place(const struct session *, struct bpf_counter *, const struct stmt *,
		      const struct bpf_count_keys *, struct bpf_count *made);
/* The statement of that number; NULL: there is none. */
const struct stmt *bpf_counter_statement(const struct bpf_counter *, unsigned number);
/* The map that has these stacks: elements of `size` bytes: how many bytes of frames there are, of
 * one of a process when it was first seen, the frames. */
void bpf_counter_stacks(struct bpf_counter *, int fd, size_t size);
/* The map that has texts of memory: elements of `size` bytes, in which they end. */
void bpf_counter_texts(struct bpf_counter *, int fd, size_t size);
/* What these words stand for (struct bpf_word) is what the event has, for who makes texts of it. */
typedef void bpf_interned_fn(void *arg, const void *words, struct event *);
void bpf_counter_interned(struct bpf_counter *, bpf_interned_fn *, void *arg);
/* The row is of this probe. */
void bpf_counter_row(struct bpf_counter *, unsigned row, const struct probe *);
/* The map that such programs count in: a descriptor, or an error. */
int bpf_counter_map(const struct bpf_counter *, uint32_t nentries);
/* Before the object is loaded: room for the map, if anything is counted. */
void bpf_counter_size(const struct bpf_counter *, struct bpf_object *, struct bpf_counts *);
/* Hands over what is new in the maps of that object, whose programs count by `counts`. */
void bpf_counter_collect(struct bpf_counter *, struct bpf *, const struct bpf_counts *,
			 const char *object);
/* The same of a map that bpf_counter_map() has made; -1: there is none. */
void bpf_counter_collect_map(struct bpf_counter *, struct bpf *, int fd);

/* An element of a per-CPU array of 64-bit numbers, of all CPUs together. False: there is none. */
bool bpf_sum_of_cpus(int map, uint32_t at, uint64_t *sum);

#endif
