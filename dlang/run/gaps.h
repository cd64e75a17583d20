/*
 * gaps.h: events that were lost between others. What clauses have kept in self-> variables belongs
 * to an event that came before; one that comes behind may belong to another call.
 */
#ifndef DLANG_RUN_GAPS_H
#define DLANG_RUN_GAPS_H

#include "dlang/session.h"

/*
 * Of providers that lose events so, some were lost here: each self-> variable that a clause of
 * theirs assigns (arrays, too) is 0 again, in that thread, or (tid 0) in all.
 */
void session_gap(struct session *, pid_t tid, enum loss);
void gaps_free(struct session *);
/* The kernel has lost n events, of whatever probe: they are counted, and leave a gap. */
void session_lose_events(struct session *, unsigned cpu, uint64_t n);
/* Hits of these enablings of a probe (only: NULL: of all) were lost in the target. */
void session_lose_hits(struct probe *, const struct ecb *only, uint64_t n);

#endif
