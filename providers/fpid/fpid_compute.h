/*
 * fpid_compute.h: which expressions the target can compute (fpid_clauses.h): those of integers, and
 * texts that are chosen from constants.
 */
#ifndef PROVIDERS_FPID_FPID_COMPUTE_H
#define PROVIDERS_FPID_FPID_COMPUTE_H

#include "inject/x86/native.h"
#include "providers/fpid/fpid_clauses.h"
#include "providers/fpid/fpid_constants.h"

/* What the machine code of an instruction of DIF is. */
struct fpid_insn {
	bool is_op, divides;
	enum native_op op;	 /* if it does not divide */
	enum native_divop divop; /* if it does */
	enum native_cond cond;
};
extern const struct fpid_insn fpid_insns[DIF_NOPS];

unsigned fpid_reads(uint32_t insn); /* registers, by their bits */
/* Do its clauses read no others of uregs[] than general registers, which a return leaves alone? */
bool fpid_reads_general(const struct probe *);
/* The word of struct hook_regs, and behind them the stack pointer, that is this one of uregs[]. */
unsigned fpid_reg_word(uint64_t index);

bool fpid_is_integer(const struct session *, enum dif_scope, unsigned id); /* a variable */
bool fpid_is_kept(const struct fpid_shares *, unsigned id);		   /* this-> */
bool fpid_is_lost(const struct fpid_lost *, unsigned id);		   /* self-> */
bool fpid_is_lost_global(const struct fpid_lost *, unsigned id);
bool fpid_is_word(const struct fpid_lost *, unsigned id);  /* a global, or lost */
bool fpid_is_keyed(const struct fpid_lost *, unsigned id); /* self-> */

/*
 * What is made of a result: a number; nothing, and it may be what was added to a counter (struct
 * fpid_lost); a text that was chosen (fpid_chosen_text()), or has a number; or one that was copied.
 */
enum fpid_result { FPID_NUMBER, FPID_UNUSED, FPID_TEXT, FPID_COPY };
#define FPID_FRAMES_MAX 512 /* of a stack that is a key */
bool fpid_can_compute(const struct fpid_shares *, const struct difo *, enum fpid_result);
/* So many of its instructions: the next one is what it cannot do. All: it can. */
unsigned fpid_computes(const struct fpid_shares *, const struct difo *, enum fpid_result);
bool fpid_is_too_long(const struct difo *); /* it can do none of them */

#endif
