/*
 * handover.h: what a source of events has done itself, where they happened, and hands over: values
 * it has aggregated, enablings whose predicate it has decided, variables it keeps.
 */
#ifndef DLANG_RUN_HANDOVER_H
#define DLANG_RUN_HANDOVER_H

#include "dlang/session.h"

/* A probe that fires in one process only has one execname, too, one ppid, uid and gid. */
enum claim_reach { CLAIM_ALL_PROCESSES, CLAIM_ONE_PROCESS };

/* Has this key of an aggregation (ACT_AGGKEY) the same value at each firing of a probe? */
bool aggkey_is_fixed(const struct action *, enum claim_reach);

/*
 * What a source has aggregated itself, of one `@a[keys] = f(value)` of a clause that records
 * nothing and cannot fault: as if the clause had fired `times` times for this event. When it may be
 * handed over: as event_count.
 */
struct claimed_text {
	const struct action *key;
	const char *text; /* of an array all its bytes */
};
struct claimed {
	const struct ecb *ecb;
	const struct stmt *stmt;
	const uint64_t *keys; /* numbers, of those keys that are not fixed and no texts
			       * and stacks, which the event has, in order */
	const uint64_t *data; /* the words that f keeps of those values */
	uint64_t times;
	const struct claimed_text *texts; /* of keys that are not made of the event */
	unsigned ntexts;
	enum claim_reach reach; /* which keys are fixed */
};
void event_merge(struct session *, const struct event *, const struct claimed *);

/*
 * One enabling fires, for a source that has decided its predicate where the event happened: with
 * variables as they were then. Afterwards those of self-> are 0 here. Or what is left of it, where
 * the source has done what stands before.
 */
struct ecb_part {
	const struct ecb *ecb;
	unsigned from; /* 0: all of it; else that statement, counted from 1, and the later ones */
	/* What comes next has faulted there: if it does not here, whatever elements of arrays are,
	 * the first of these does, as the source has them. */
	bool has_faulted;
	/* Texts in self-> variables are the source's: they are NULL here, and to assign one faults.
	 */
	bool has_texts;
};
struct carried_var {
	enum dif_scope scope; /* SELF or THIS */
	uint16_t id;
	uint64_t value;
};
void event_fire_one(struct session *, const struct event *, const struct ecb_part *,
		    const struct carried_var *, unsigned n);

/*
 * A variable self->x of integer type, of the thread of an event: for a source that keeps it where
 * its clauses run.
 */
uint64_t event_self(struct session *, const struct event *, uint16_t id);
void event_set_self(struct session *, const struct event *, uint16_t id, uint64_t value);
/* The same of one that is a text: its address, until it is assigned anew; NULL: it is NULL. */
const char *event_self_text(struct session *, const struct event *, uint16_t id);
void event_set_self_text(struct session *, const struct event *, uint16_t id, const char *);
/* The same of an element self->x[keys], or x[keys]; key: as vars.c has those of dynamic variables.
 */
struct dynvar_array {
	enum dif_scope scope; /* SELF or GLOBAL */
	uint16_t id;
};
uint64_t event_element(struct session *, const struct event *, const struct dynvar_array *,
		       const uint64_t *key, unsigned nwords);
void event_set_element(struct session *, const struct event *, const struct dynvar_array *,
		       const uint64_t *key, unsigned nwords, uint64_t value);
/* Takes the elements of an array that the thread, or any thread, has got here since so many dynamic
 * variables had been made. */
typedef void event_element_fn(void *arg, const uint64_t *key, unsigned nwords, uint64_t value);
uint64_t event_nmade(const struct session *);
void event_take_elements(struct session *, const struct event *, const struct dynvar_array *,
			 uint64_t since, event_element_fn *, void *arg);

#endif
