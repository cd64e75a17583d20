/*
 * claim.h: clauses that a source of events may take over whole (ARCHITECTURE.md, Needs and claims):
 * it counts where the event happens and hands the number over at snapshots, through event_count().
 */
#ifndef DLANG_OFFLOAD_CLAIM_H
#define DLANG_OFFLOAD_CLAIM_H

#include "dlang/run/handover.h"

/*
 * True: whatever enabled clauses of the probe do at a firing is to count it, in aggregations whose
 * keys are the same at each firing (probefunc, probemod, constants ...), and the user has not
 * forbidden it (-x claim=off).
 */
bool probe_is_countable(const struct probe *, enum claim_reach);

/* The same of what they do where their predicates hold: the source sees to those (pushdown.h). */
bool probe_actions_are_countable(const struct probe *, enum claim_reach);

#endif
