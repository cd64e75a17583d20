/*
 * disasm.h: what there is to know of an x86-64 instruction without naming it: its length and where
 * it may go. A table-driven decoder of our own, some thirty times faster than a disassembler, since
 * return sites are looked for in whole libraries; unit tests compare it with capstone.
 */
#ifndef SYMBOLS_X86_DISASM_H
#define SYMBOLS_X86_DISASM_H

#include "base/base.h"

enum insn_kind {
	INSN_OTHER,
	INSN_RET,  /* ret, ret imm16, with any prefix */
	INSN_JMP,  /* direct, target known */
	INSN_JCC,  /* conditional, also loop and jrcxz; target known */
	INSN_CALL, /* direct, target known */
	INSN_JMP_INDIRECT,
	INSN_CALL_INDIRECT,
	INSN_TRAP,   /* int3, int1, int n, ud */
	INSN_XBEGIN, /* when the transaction aborts its target is next; known */
};

struct insn {
	uint8_t len;	 /* 1..15 */
	uint8_t opcode;	 /* where it begins, behind all prefixes; of VEX, EVEX and XOP: where that
			    does */
	uint8_t modrm;	 /* where it is; 0: it has none */
	uint8_t rip_rel; /* where the 32-bit distance of a memory operand from the next instruction
			  * is; 0: it has none */
	enum insn_kind kind;
	taddr_t target; /* JMP, JCC, CALL, XBEGIN */
};

/* May it lead to its target without leaving an address to come back to? */
static inline bool insn_jumps(enum insn_kind kind)
{
	return kind == INSN_JMP || kind == INSN_JCC || kind == INSN_XBEGIN;
}

/*
 * Decodes the instruction of n readable bytes at p that stands at address pc. Returns its length,
 * or 0 when it is not a 64-bit instruction or does not end within n bytes.
 */
unsigned insn_decode(const uint8_t *p, size_t n, taddr_t pc, struct insn *);

#define CALL_MAX 7 /* bytes of the longest call that a compiler writes */
/* Do these bytes end with a call, by a distance or through a register or memory? */
bool code_ends_with_call(const uint8_t code[CALL_MAX]);

#endif
