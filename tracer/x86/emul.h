/*
 * emul.h: does in the tracer what an instruction would have done. For control flow, whose copy in
 * a slot would see the wrong pc, and as the last resort where the target gives no memory for slots.
 */
#ifndef TRACER_X86_EMUL_H
#define TRACER_X86_EMUL_H

#include "base/userregs.h"
#include "base/target.h"

#include "tracer/x86/insn.h"

/* Would this direct branch be taken? Only EMUL_JMP, EMUL_JCC and the loops. */
bool emul_taken(const struct insn_plan *, const struct user_regs_struct *);

/*
 * Advances regs over the instruction, rip included; memory is the target's. Errors: -EFAULT with
 * *fault the address that could not be accessed and regs untouched. The plan has an op.
 */
int emul_insn(const struct insn_plan *, struct user_regs_struct *regs, struct target *,
	      taddr_t *fault);

#endif
