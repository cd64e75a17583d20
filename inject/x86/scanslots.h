/*
 * scanslots.h: code that is jumped to by an address that is computed. Pieces of code of one size,
 * slots, lie side by side, and their number leads to one, without a table (libffi):
 *
 *	lea slots(%rip), %r11
 *	lea (%r11,%r10,8), %r10
 *	jmp *%r10
 *
 * Pure. Internal to scanning.
 */
#ifndef INJECT_X86_SCANSLOTS_H
#define INJECT_X86_SCANSLOTS_H

#include "symbols/x86/disasm.h"

/* Of one function, whose instructions are followed in the order in which they stand. */
struct slots {
	taddr_t from;	 /* the first one, after slots_follow() has found some */
	unsigned stride; /* their size */
	unsigned nfound; /* jumps that lead to slots */
	bool is_lost;	 /* it jumps to an address that may be computed in another way */
	/* Internal: the last address of its own code, and of a slot: registers, and how many
	 * instructions ago they were set. */
	bool has_label;
	taddr_t label;
	unsigned label_reg, label_age, slot_reg, slot_age;
};

/*
 * The instruction `in` at p; label: the address it loads of code in the function that is no table;
 * 0: none. True: it jumps to slots.
 */
bool slots_follow(struct slots *, const uint8_t *p, const struct insn *in, taddr_t label);

#endif
