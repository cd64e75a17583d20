/*
 * aggtable.h: aggregations. The engine adds to one of two tables per session; a snapshot swaps them
 * and the front merges the one that is at rest into its own copy (aggstore.h, front only).
 *
 * A table is a bounded hash in the shared arena (aggsize bytes); when it is full the add is an
 * aggregation drop, counted. Nothing is read from it by D.
 */
#ifndef DLANG_RUN_AGGTABLE_H
#define DLANG_RUN_AGGTABLE_H

#include "dlang/run/histogram.h"
#include "dlang/program.h"

struct vm;

enum aggfunc_id {
#define AGGFUNC(name, id) AGG_##id,
#include "dlang/run/aggfuncs.def"
#undef AGGFUNC
	AGG_NFUNCS
};

/* One row of aggfuncs.def. */
struct aggfunc {
	const char *name;
	enum aggfunc_id id; /* for columns that only one room has */
	bool counts_calls;  /* each adds one, whatever its operands */
	bool has_bars;	    /* its values are parts of a sum (-x agghist) */
	bool is_packed; /* its rows are as many that they are better shown as one (-x aggpack) */
	unsigned min_args, max_args;  /* operands of the D function, incr included */
	bool is_hist;		      /* the last operand may be an increment */
	const struct histogram *hist; /* of a histogram, else NULL */
	unsigned nwords;	      /* 64-bit words kept; 0: hist->nbuckets(params) */
	void (*init)(uint64_t *data, const struct aggvar *);
	/* Freestanding: no libc, no allocation. */
	void (*add)(uint64_t *data, const struct aggvar *, int64_t value, int64_t incr);
	void (*merge)(uint64_t *into, const uint64_t *from, const struct aggvar *);
};

const struct aggfunc *aggfunc_find(const char *name);
#define AGGFUNC(name, id) extern const struct aggfunc aggfunc_##name;
#include "dlang/run/aggfuncs.def"
#undef AGGFUNC

#define AGG_MAX_KEYS 32

/* An aggregation variable; in the arena, published when the program is compiled. */
struct aggvar {
	const char *name; /* "a", "_" */
	uint32_t id;	  /* from 1, in order of first appearance */
	const struct aggfunc *func;
	int line; /* of the first use */
	unsigned nkeys;
	struct rec keys[AGG_MAX_KEYS]; /* offsets within the key */
	uint32_t keysize, nwords;
	/* lquantize: base, limit, step; llquantize: factor, low, high, steps */
	int64_t params[4];
	/* of one that was read from a file; NULL: as the clause has them that was first to use it
	 */
	const char *const *key_names;
	/* a histogram of which this has the sums of the values, by the same keys; no line shows it.
	 * NULL: it is one of the program's */
	const struct aggvar *sums_of;
	struct aggvar *next; /* in order of id */
};

struct aggtable; /* opaque; two of them, engine writes, front reads the one at rest */

/* Bytes that a key and its data take in a table. */
uint64_t aggtable_entry_size(uint32_t keysize, uint32_t nwords);
struct aggtable *aggtable_new(struct arena *, uint64_t size, struct err *);
void aggtable_clear(struct aggtable *);
/* The data words for a key of var (zero-padded, keysize bytes), made by func->init if new; for each
 * cpu (below SESSION_MAX_CPUS; 0 where they are not told apart) others. NULL: full. */
uint64_t *aggtable_find(struct aggtable *, const struct aggvar *, const void *key, unsigned cpu);

/* Where an entry belongs. */
struct aggat {
	uint32_t varid;
	unsigned cpu;
	const char *key;
};

/* Visits every entry; the pointers live until the table is cleared. */
void aggtable_each(const struct aggtable *,
		   void (*fn)(void *arg, const struct aggat *, const uint64_t *data), void *arg);

#endif
