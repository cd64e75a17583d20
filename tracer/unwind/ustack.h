/* ustack.h: the user stacks of a traced process, for those who ask for one. */
#ifndef TRACER_UNWIND_USTACK_H
#define TRACER_UNWIND_USTACK_H

#include "tracer/tracer.h"

struct cfi; /* symbols/cfi/cfi.h */

/*
 * User stack at a hit, innermost pc first, from the CFI; works without frame pointers. at_entry:
 * pc is a function's first instruction. Returns the number of pcs.
 */
unsigned hit_ustack(struct hit *, bool at_entry, taddr_t *pcs, unsigned max);
/*
 * The same of a thread that nobody stopped: from the registers it had, and what was copied then of
 * its stack from their rsp on.
 */
unsigned proc_late_ustack(struct proc *, const struct regs *, const void *stack, size_t len,
			  taddr_t *pcs, unsigned max);
/*
 * Calls fn for each executable mapping of the process, as it is now, in order of addresses, with
 * what is known about its stacks; cfi NULL: nothing. id: another one when the addresses are
 * mapped anew from another file.
 */
struct code_range {
	taddr_t start, end;
	uint64_t id;
};
typedef void proc_code_fn(void *arg, const struct code_range *, const struct cfi *);
void proc_each_code(struct proc *, proc_code_fn *, void *arg);

#endif
