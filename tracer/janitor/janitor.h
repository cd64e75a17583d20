/*
 * janitor.h: what of ours stays in processes when the engine is killed, and can only be taken out
 * while they stand still. Breakpoints are out by then (journal_restore).
 */
#ifndef TRACER_JANITOR_JANITOR_H
#define TRACER_JANITOR_JANITOR_H

#include "tracer/journal/journal.h"

struct proc;
struct err;

/*
 * Once the kernel has released the engine's targets: traces each process that the journal names for
 * a moment, puts back what jumps to hooks have replaced, and unmaps the memory of slots. Where that
 * is forbidden, or a thread cannot be moved out of a slot, things stay as they are: they harm
 * nobody. The journal may be changed by it.
 */
void janitor_clean(struct journal *);

/* For those who take out what an earlier run has left. Of code: while the process stands still, and
 * nobody is in it or comes back to it. False: it stays. */
bool janitor_free_code(struct proc *, taddr_t start, uint64_t size);
bool janitor_unmap(struct proc *, taddr_t start, uint64_t size);

/*
 * Takes out what an earlier run has left that was killed, and its watchdog with it: memory of files
 * whose names begin with `name`, code that works with it, and jumps to that code, where the bytes
 * of the program's files belong. Halts the process if there is something. Returns how many mappings
 * there were; errors: -EBUSY they stay, with the reason.
 */
int proc_clear_remains(struct proc *, const char *name, struct err *);

#endif
