/*
 * journal.h: which bytes of which process are ours, for whoever outlives the engine (DESIGN §5).
 * Lies in the shared arena. An entry is written before the byte in the target and freed after it is
 * put back, so at any moment every patched byte has an entry.
 */
#ifndef TRACER_JOURNAL_H
#define TRACER_JOURNAL_H

#include "base/arena.h"

#define JOURNAL_MAX 250000 /* pid-engine.md §1.4: the limit of tracepoints */

struct journal_entry {
	pid_t pid; /* 0: free */
	uint8_t len;
	uint8_t orig[4]; /* what belongs at addr; restore only where the first byte is still int3 */
	taddr_t addr;
};

struct journal {
	uint32_t high; /* entries [0, high) may be in use */
	uint32_t room;
	uint32_t hint; /* where the search for a free one begins */
	struct journal_entry e[JOURNAL_MAX];
};

/* Returns the entry's number, or -1 when the journal is full. */
int32_t journal_add(struct journal *, pid_t, taddr_t, const uint8_t *orig, uint8_t len);
void journal_del(struct journal *, int32_t entry);
void journal_forget(struct journal *, pid_t); /* the address space is gone */
/*
 * For the one who outlives the engine: puts the bytes back, in processes that run on, where they
 * still are a breakpoint. Returns how many.
 */
unsigned journal_restore(const struct journal *);

#endif
