/*
 * claim.h: clauses that a source of events may take over whole (ARCHITECTURE.md, Needs and claims):
 * it counts where the event happens and hands the number over at snapshots, through event_count().
 */
#ifndef DLANG_OFFLOAD_CLAIM_H
#define DLANG_OFFLOAD_CLAIM_H

#include "dlang/offload/pushdown.h"
#include "dlang/run/handover.h"

/* The user has not forbidden it (-x claim=off), and asks for nothing that a number does not say. */
bool claims_are_allowed(const struct session *);

/*
 * True: whatever enabled clauses of the probe do at a firing is to count it, in aggregations whose
 * keys are the same at each firing (probefunc, probemod, constants ...), and the user has not
 * forbidden it (-x claim=off).
 */
bool probe_is_countable(const struct probe *, enum claim_reach);

/* The same of what they do where their predicates hold: the source sees to those (pushdown.h). */
bool probe_actions_are_countable(const struct probe *, enum claim_reach);

/*
 * `@a[keys] = f(value)` of a clause, whose keys and value are operands, or texts that follow from
 * the record: a source that has them at hand keeps the aggregation by keys and hands it over by
 * event_merge(), with a record that has what the texts are made of.
 */
#define KEYED_MAX 5
struct keyed {
	const struct ecb *ecb;
	const struct stmt *stmt;
	const struct aggvar *var;
	struct operand keys[KEYED_MAX]; /* those that are not fixed, in order */
	unsigned nkeys;
	struct derived texts[KEYED_MAX];
	unsigned ntexts;
	struct operand value; /* a constant for count() */
};
/* All that the probe's clauses do where their predicates hold. Returns how many there are; 0: they
 * do something else, or more than `max`, or the user has forbidden it. */
unsigned probe_keyed(const struct probe *, struct keyed *, unsigned max);

/*
 * Of the probe's enablings: they are counted in the kernel, or make records, and why. `is_exact`:
 * what is asked of their predicates there is all that they ask; `otherwise`: why the source does
 * not count what nothing else speaks against (WHY(...)).
 */
void probe_place_counted(const struct probe *, bool is_counted, bool is_exact,
			 const char *otherwise);

#endif
