/*
 * difo.h: the bytecode of one D expression (docs/spec/d-language.md §19).
 *
 *   31      24 23      16 15       8 7        0
 *  +----------+----------+----------+----------+
 *  |  opcode  |    r1    |    r2    |    rd    |   three registers
 *  |  opcode  |          label (24 bits)       |   branches
 *  |  opcode  |   index or id (16)  |    rd    |   setx, sets, variables, call
 *  +----------+----------+----------+----------+
 *
 * %r0 is always 0; branches go forward only. A DIFO is immutable after verify_difo() and lives in
 * the shared arena: the engine runs it, the front may print it.
 */
#ifndef DLANG_DIFO_H
#define DLANG_DIFO_H

#include "base/base.h"
#include "base/err.h"
#include "symbols/dwarf/types.h"

enum {
	DIF_OP_NONE,
#define INSN(name, format, class) DIF_OP_##name,
#include "dlang/insns.def"
#undef INSN
	DIF_NOPS
};

#define DIF_NREGS     256 /* %r0 .. %r255; the operands of an instruction have 8 bits */
#define DIF_NTREGS    8	  /* tuple stack */
#define DIF_MAX_INSNS 65535
#define DIF_VAR_USER  0x500 /* first number of program variables */

#define DIF_FMT(op, r1, r2, rd)                                                                    \
	((uint32_t)(op) << 24 | (uint32_t)(r1) << 16 | (uint32_t)(r2) << 8 | (uint32_t)(rd))
#define DIF_LABEL(op, label) ((uint32_t)(op) << 24 | ((uint32_t)(label)&0xffffff))
#define DIF_INDEX(op, idx, rd)                                                                     \
	((uint32_t)(op) << 24 | ((uint32_t)(idx)&0xffff) << 8 | (uint32_t)(rd))
#define DIF_OP(i)	((i) >> 24)
#define DIF_R1(i)	(((i) >> 16) & 0xff)
#define DIF_R2(i)	(((i) >> 8) & 0xff)
#define DIF_RD(i)	((i)&0xff)
#define DIF_GETLABEL(i) ((i)&0xffffff)
#define DIF_GETINDEX(i) (((i) >> 8) & 0xffff)

/* r2 of pushtr/pushtv holds nothing; r1 is the type pushed: integer or by reference. */
enum { DIF_PUSH_INT = 0, DIF_PUSH_STRING = 1, DIF_PUSH_BYTES = 2 };

enum dif_scope { DIF_SCOPE_GLOBAL, DIF_SCOPE_SELF, DIF_SCOPE_THIS };

/* What an instruction is, for all who look through a DIFO. */
enum {
	INSN_VALUE = 1 << 0, /* a value of registers and constants, and never a fault */
	INSN_FAULT = 1 << 1, /* may fault */
	INSN_VAR = 1 << 2,   /* loads the variable DIF_GETINDEX(), global unless said otherwise, */
	INSN_STORE = 1 << 3, /* ... or stores it */
	INSN_KEYS = 1 << 4,  /* an associative array */
	INSN_SELF = 1 << 5,
	INSN_THIS = 1 << 6,
	INSN_BRANCH = 1 << 7,
};
extern const uint8_t insn_class[DIF_NOPS];

/* What it computes of r1 and r2, if these are a and b. False: nothing, or it may fault. */
bool insn_compute(unsigned op, uint64_t a, uint64_t b, uint64_t *v);
/* Is this branch, not BA, taken when a was compared with b? */
bool insn_is_taken(unsigned op, uint64_t a, uint64_t b);
/* The branch that does the same when b was compared with a. */
unsigned insn_turned(unsigned op);

/* From memory; size 0: it loads nothing. */
struct insn_load {
	uint8_t size; /* in bytes */
	bool is_signed;
	bool is_user; /* of the target, else of D */
};
extern const struct insn_load insn_loads[DIF_NOPS];

static inline enum dif_scope insn_scope(uint32_t insn)
{
	unsigned class = insn_class[DIF_OP(insn)];

	return class & INSN_SELF   ? DIF_SCOPE_SELF
	       : class & INSN_THIS ? DIF_SCOPE_THIS
				   : DIF_SCOPE_GLOBAL;
}

/* A variable used by a DIFO (also its row in the -S table). */
struct dif_var {
	const char *name;
	uint16_t id;
	uint8_t scope; /* enum dif_scope */
	bool is_array, is_read, is_written;
	const struct type *type; /* of the value */
};

struct difo {
	const uint32_t *text;
	unsigned ninsns;
	unsigned nregs; /* %r0 and those it uses: all below this number */
	const uint64_t *ints;
	unsigned nints;
	const char *strs; /* string table; sets indexes bytes in it */
	unsigned strslen;
	const struct dif_var *vars;
	unsigned nvars;
	/* what is added to pointers for their members: an address that is no more than that says
	 * that the pointer was NULL */
	const uint64_t *offsets;
	unsigned noffsets;
	const struct type *type; /* of the result; void: evaluated for effect */
	bool is_userland;	 /* result by reference is an address in the target */
	unsigned needs;		 /* NEED_* of provider.h */
	bool can_fault;
	bool is_destructive; /* calls copyout, ... */
};

/*
 * Proves a DIFO safe to run: opcodes, registers (below nregs), indexes and labels in range,
 * branches forward, %r0 never written, ends in ret, tuple pushes bounded, variables declared in the
 * table with the scope their instruction says, subroutine numbers and argument counts known.
 * Errors: -EINVAL with instruction and reason. Terminates on any input.
 */
int verify_difo(const struct difo *, struct err *);

/* Text of one DIFO in the layout of docs/spec/dtrace-command.md §6, appended to out. */
struct strbuf;
void difo_print(const struct difo *, struct strbuf *out);

#endif
