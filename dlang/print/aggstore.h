/*
 * aggstore.h: the front's own copy of all aggregations: what snapshots add up to, and what clear(),
 * trunc() and normalize() change (docs/spec/d-language.md §11.3, §11.5). Private memory of the
 * front.
 */
#ifndef DLANG_PRINT_AGGSTORE_H
#define DLANG_PRINT_AGGSTORE_H

#include "dlang/run/aggtable.h"

struct aggent {
	uint64_t hash;
	uint64_t *data; /* var->nwords words */
	char *key;	/* var->keysize bytes */
	/* -x aggpercpu: what of it came from which CPU, as many as copy->ncpus; NULL: nothing */
	uint64_t *by_cpu[];
};

/* One aggregation. Entries are in no order. */
struct aggcopy {
	const struct aggvar *var;
	unsigned ncpus; /* that are told apart; 0: none */
	struct aggent **ents;
	size_t nents, room;
	uint64_t normal;	 /* not 0: values are divided by it when printed */
	uint64_t nresets;	 /* clear() and trunc() of it */
	bool is_cleared, is_cut; /* by these */
	uint64_t nsnaps;	 /* jsonlines.c: how often its rows were written */
	bool is_printed;	 /* a printa() has shown it: the end of the run does not */
	uint64_t shown_snap;	 /* as of this snapshot (consume_priv.h) */
	/* incomplete.c: what was missing when it was cleared; a line is due that tells of it */
	struct {
		uint64_t hits, events, values;
	} lost_before;
	bool is_marked;
	struct aggcopy *sums; /* of a histogram, in a store that keeps them; NULL: none */
	/* private: open addressing; 0: free, else index + 1 in ents */
	uint32_t *slots;
	size_t nslots;
};

struct aggstore {
	struct aggcopy **copies; /* by id - 1; NULL: no data yet */
	uint32_t ncopies;
	unsigned ncpus;	 /* -x aggpercpu: set before there are copies; 0: CPUs are not told apart */
	bool keeps_sums; /* of histograms (aggvar.sums_of) */
};

void aggstore_init(struct aggstore *);
void aggstore_release(struct aggstore *);
/* The copy of a variable, made if new. */
struct aggcopy *aggstore_copy(struct aggstore *, const struct aggvar *);
/* The same of the sums of a histogram's values (aggvar.sums_of), which are with its copy. */
struct aggcopy *aggstore_sums(struct aggstore *, const struct aggvar *);
/* May change a key before it is looked for: addresses that mean the same function become one. */
typedef void aggkey_fn(void *arg, const struct aggvar *, char *key);
/* Adds what an engine's table holds; the caller clears the table. vars: the list of all. same:
 * NULL, or called for each key. */
void aggstore_merge(struct aggstore *, const struct aggtable *, const struct aggvar *vars,
		    aggkey_fn *same, void *arg);

/* The entry of a key of keysize bytes; NULL: there is none. */
const struct aggent *aggcopy_find(const struct aggcopy *, const char *key);
/* Of a histogram: the sum of the values of that key; NULL: none is kept. */
const uint64_t *aggcopy_sum(const struct aggcopy *, const char *key);
/* Adds to the entry of a key, made if new. */
void aggcopy_add(struct aggcopy *, const char *key, const uint64_t *data);
/* The same of all that an entry of another copy holds. */
void aggcopy_join(struct aggcopy *, const char *key, const struct aggent *);
/* All values to their start; the keys stay. */
void aggcopy_clear(struct aggcopy *);
/* Takes all entries out. */
void aggcopy_empty(struct aggcopy *);
/* keep > 0: the `keep` highest stay; < 0: the -keep lowest; 0: none. By value, then by keys. */
void aggcopy_trunc(struct aggcopy *, int64_t keep);

#endif
