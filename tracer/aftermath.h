/*
 * aftermath.h: what of ours stays in processes when the engine is killed, and can only be taken out
 * while they stand still. Breakpoints are out by then (journal_restore).
 */
#ifndef TRACER_AFTERMATH_H
#define TRACER_AFTERMATH_H

#include "tracer/journal.h"

/*
 * Once the kernel has released the engine's targets: traces each process that the journal names for
 * a moment, puts back what jumps to hooks have replaced, and unmaps the memory of slots. Where that
 * is forbidden, or a thread cannot be moved out of a slot, things stay as they are: they harm
 * nobody. The journal may be changed by it.
 */
void aftermath(struct journal *);

#endif
