/*
 * incomplete.h: aggregations that lack some of their input, as the front knows it: hits of clauses
 * that add to them, or assign what those read, were dropped.
 */
#ifndef DLANG_PRINT_INCOMPLETE_H
#define DLANG_PRINT_INCOMPLETE_H

#include "base/strbuf.h"
#include "dlang/print/consume_priv.h"

/* How many hits, events and values are missing since it was cleared; 0: it is complete. */
uint64_t incomplete_count(const struct consumer *, const struct aggcopy *);
/* It is cleared: what comes from now on may be complete. */
void incomplete_clear(const struct consumer *, struct aggcopy *);
/* It has been printed: a line on stderr will say what is missing, if something is. */
void incomplete_mark(struct consumer *, struct aggcopy *);
/* Those lines: behind what was printed. */
void incomplete_tell(struct consumer *);

#endif
