/*
 * unwind.h: user stacks. Two walkers over one copy of the stack: ours, from cached rows of call
 * frame information, and libunwind, slower by far, which takes over where no such information is
 * and is what ours is tested against.
 */
#ifndef TRACER_UNWIND_UNWIND_H
#define TRACER_UNWIND_UNWIND_H

#include "tracer/unwind/cfimap.h"
#include "tracer/unwind/stackcopy.h"
#include "tracer/unwind/ustack.h"

struct rowcache;
struct libunwind;

/* What a process has for its stacks, from the first walk on. */
struct unwind {
	struct proc *proc;
	struct cfimap map;
	struct rowcache *rows;
	struct libunwind *libunwind; /* NULL: not needed yet */
	uint64_t now_ns;	     /* of the hit */
	uint64_t looked_ns;	     /* when the maps were last read for an unknown pc ... */
	bool looked_in_vain;	     /* ... which was in none then, either */
	struct stackcopy stack;
};

/*
 * From the registers of a frame, rip among them as its return address, outwards: appends pcs to the
 * n there are and returns how many there are then. exact: the thread stands at that pc; else it is
 * where a call will return to. The registers are used up.
 */
typedef unsigned unwind_fn(struct unwind *, struct cfi_regs *, bool exact, taddr_t *pcs, unsigned n,
			   unsigned max);
unwind_fn unwind_rows, unwind_libunwind;

/* hit_ustack by the given walker. */
unsigned unwind_hit(struct hit *, bool at_entry, unwind_fn *, taddr_t *pcs, unsigned max);

/* ---- steps ---- */

struct row;

/* To the caller's registers, by a row of kind ROW_PLAIN. False: the stack cannot be read. */
bool step_plain(struct unwind *, const struct row *, struct cfi_regs *);

/*
 * The same where no table tells. row: what is known of the pc, NULL: it is in no mapping. exact:
 * does the thread stand at that pc, and then, at that of its caller? False: nothing tells; the
 * registers and exact are as before.
 */
bool step_heuristic(struct unwind *, const struct row *, struct cfi_regs *, bool *exact);

/* Does the process execute memory there? Its maps may be read anew for that. */
bool is_code(struct unwind *, taddr_t addr);

/* libunwind.c */
void libunwind_flush(struct libunwind *);
void libunwind_free(struct libunwind *);

#endif
