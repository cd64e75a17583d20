/* fpid_claims_priv.h: what the target has of clauses. For fpid_claims.c and fpid_collect.c only. */
#ifndef PROVIDERS_FPID_FPID_CLAIMS_PRIV_H
#define PROVIDERS_FPID_FPID_CLAIMS_PRIV_H

#include "hook/tuple.h"
#include "inject/tscline.h"
#include "providers/fpid/fpid_claims.h"
#include "providers/fpid/fpid_compute.h"
#include "providers/fpid/fpid_memory.h"

/* A set of keys that are fixed, of one `@a[] = f()`. */
struct claim_group {
	struct probe *probe;
	const struct ecb *ecb;
	const struct stmt *stmt;
	enum hook_aggfunc func;
	unsigned nkeys, nwords; /* as in struct hook_agg */
	taddr_t pc; /* where it happens, if stacks are keys: their first frame; else 0 */
	uint64_t words;
	uint64_t *seen; /* of its words: handed over; NULL: its words are in entries */
};

/* What has been handed over of the entries of a block, byte by byte as they lie there. */
struct claim_shadow {
	char *seen;
	uint64_t size;
};

/* A counter (struct fpid_lost): a word of each table, and what was added to it by now. */
struct claim_counter {
	uint16_t id;
	uint64_t words, seen;
	_Atomic uint64_t *value;
};

/* A variable self->x, or an element of an array. */
struct claim_cell {
	uint16_t id;
	uint32_t cell;
	struct fpid_key *key; /* NULL: no element */
};

/* An array self->x[key] that is kept by its keys. */
struct claim_array {
	uint16_t id;
	uint64_t array; /* HOOK_ARRAY() */
};

/* An array x[keys] of all threads. */
struct claim_global {
	uint16_t id;
	uint64_t array; /* HOOK_TUPLES(), from hooks_common_arrays() on */
	char *before;	/* what was brought here, while the engine changes it */
	bool is_shown;	/* to clauses of BEGIN, END and ticks */
	bool is_lent;	/* to the clauses of a hit at a breakpoint */
};

/* A global that all threads share; it lies where arrays do. */
#define FPID_WORD_BYTES 64 /* a line of its own */
struct claim_word {
	uint16_t id;
	uint64_t place;
};

struct fpid_claims {
	struct pid_proc *pp;
	struct claim_group *groups;
	uint32_t ngroups, groups_room;
	uint64_t next_words;
	struct claim_shadow *shadows; /* by block */
	unsigned nshadows;
	uint64_t rooms; /* of each table, of so many words each; 0: none */
	unsigned rooms_words;
	bool has_stacks;
	uint64_t ncut; /* stacks that are cut off, so often */
	bool is_cut;   /* some have been since code was looked for */
	uint64_t looked_ns;
	struct claim_counter *counters;
	unsigned ncounters;
	struct claim_cell *cells;
	unsigned ncells;
	bool has_elements;
	bool has_random;
	uint32_t random; /* the cell for rand() */
	struct claim_array *arrays;
	unsigned narrays;
	struct claim_global *globals;
	unsigned nglobals;
	uint64_t next_global;
	struct claim_word *words;
	unsigned nwords;
	uint64_t stamp;	      /* our last one, for those (tuple.h) */
	uint64_t drops, lost; /* said so far */
	uint64_t *scratch;
	unsigned scratch_words;
	struct tscline truth;
	struct hook_line line; /* that the target goes by */
	struct hook_wall wall;
	struct target view; /* the program that symbols are of */
};

void fpid_claims_adjust_clock(struct fpid_claims *);
/* Words of each table, at a fixed place, which `align` divides. Errors: -ENOSPC. */
int fpid_claims_take_words(struct fpid_claims *, uint64_t nwords, unsigned align, uint64_t *place);

/* ---- fpid_collect.c ---- */

/* A text of a thread, by its number. False: it is none. */
bool fpid_claims_read_text(const struct fpid_claims *, pid_t tid, uint64_t number,
			   char out[FPID_TEXT_MAX + 1]);
/* One of a thread that stands still. 0: there is no room. */
uint64_t fpid_claims_make_text(const struct fpid_claims *, pid_t tid, const char *);

/* ---- fpid_arrays.c ---- */

/* Elements of a thread that the engine has become the target's; and, around a hit at a breakpoint,
 * those that its clauses use become the engine's, and the target's again. */
void fpid_arrays_begin(struct fpid_claims *, const struct event *);
struct fpid_lent {
	uint64_t nmade;	 /* dynamic variables that had been made by then */
	uint32_t arrays; /* that are lent, by their bits: HOOK_ARRAYS at most */
};
struct fpid_lent fpid_arrays_lend(struct fpid_claims *, const struct event *);
void fpid_arrays_take_back(struct fpid_claims *, const struct event *, const struct fpid_lent *);

/* Of that array, by its type: words of a row, as many as its keys have. 0: they are no keys. */
unsigned fpid_row_words(const struct session *, enum dif_scope, uint16_t id,
			const struct hook_pair *row, uint64_t words[HOOK_TUPLE_WORDS]);
/* The HOOK_TUPLES() of an array of all threads, at the first place, and its size. */
uint64_t fpid_global_array(const struct session *, uint16_t id, uint64_t *size);

/* ---- fpid_globals.c ---- */

/* Around a hit at a breakpoint: elements of the arrays that its clauses use are the engine's, too;
 * what it has added to them, it has then added to what they are in the target. */
void fpid_globals_lend(struct fpid_claims *, const struct event *);
void fpid_globals_take_back(struct fpid_claims *, const struct event *);
/* Elements of arrays that clauses of the run look at, or of all, are those of the target. */
void fpid_globals_show(struct fpid_claims *, bool all);
void fpid_globals_free(struct fpid_claims *); /* they become the engine's */

#endif
