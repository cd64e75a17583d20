/*
 * insn.h: how one instruction is crossed when a breakpoint stands on it. Pure: bytes and address
 * in, plan out; docs/spec/pid-engine.md §3.1. Never a single step in place.
 */
#ifndef TRACER_X86_INSN_H
#define TRACER_X86_INSN_H

#include "base/err.h"

#define INSN_MAX  15
#define SLOT_SIZE 32

enum insn_how {
	INSN_INPLACE, /* endbr64: int3 and a three-byte nop; nothing to do at the stop */
	INSN_SLOT,    /* a copy in a slot, then a jump back */
	INSN_EMULATE, /* control flow: the tracer does what the instruction does */
};

/* What emul_insn() can do; a slot plan with an op can do without its slot where memory is refused.
 */
enum emul_op {
	EMUL_NONE,
	EMUL_NOP,
	EMUL_JMP,
	EMUL_JCC, /* cond */
	EMUL_LOOP,
	EMUL_LOOPE,
	EMUL_LOOPNE,
	EMUL_JRCXZ,
	EMUL_CALL,     /* slot: push [next]; jmp [target] */
	EMUL_CALL_REG, /* slot: push [next]; jmp reg */
	EMUL_CALL_MEM, /* slot: push [next]; jmp mem; based on rsp: emulated */
	EMUL_RET,      /* imm: bytes popped besides */
	EMUL_PUSH,     /* reg */
	EMUL_MOV,      /* reg ← reg2, 64 bits */
	EMUL_INT3,     /* the trap that our own byte makes is the program's */
};

struct insn_plan {
	enum insn_how how;
	enum emul_op op;
	uint8_t len;
	uint8_t bytes[INSN_MAX];
	uint8_t disp_off;	   /* where the disp32 of a rip-relative operand is; 0: none */
	uint8_t cond;		   /* low four bits of the opcode */
	uint8_t reg, reg2;	   /* register numbers as encoded, 0 = rax ... 15 = r15 */
	uint8_t addr32;		   /* loop and jrcxz count in ecx */
	uint8_t restarts;	   /* syscall or rep: may leave its first byte and come back */
	uint16_t imm;		   /* EMUL_RET */
	int8_t base, index, scale; /* EMUL_CALL_MEM: -1: none; scale is a shift */
	uint8_t seg;		   /* EMUL_CALL_MEM: 0, or 'f', 'g' */
	int32_t disp;
	taddr_t pc, next;
	taddr_t target; /* of a direct branch, or the rip-relative operand's address */
};

/*
 * Plans the instruction at pc, of which n bytes are readable. Errors: -EINVAL with the reason why
 * it cannot be probed.
 */
int insn_plan(const uint8_t *bytes, size_t n, taddr_t pc, struct insn_plan *, struct err *);

/* Slot plans only. The code for a slot at that address. -ERANGE: an operand is out of reach. */
int insn_slot(const struct insn_plan *, taddr_t slot, uint8_t code[SLOT_SIZE]);

/*
 * A thread stands `off` bytes into the slot, at the start of an instruction: returns where it would
 * be without us. *undo: nothing has happened yet but the push of a call, so 8 goes back to rsp.
 */
taddr_t insn_slot_origin(const struct insn_plan *, unsigned off, bool *undo);

/*
 * The first call at or after pc, or unconditional jump instead of one, looking at most n bytes far;
 * false: none before a conditional jump, return, or undecodable byte.
 */
struct first_call {
	taddr_t pc, target; /* target: 0: not in the instruction */
};
bool insn_first_call(const uint8_t *bytes, size_t n, taddr_t pc, struct first_call *);

#endif
