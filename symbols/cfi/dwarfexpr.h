/*
 * dwarfexpr.h: expressions of DWARF (DWARF 5 §2.5) and what they say of a place (§2.6), for all
 * who meet one: rows of call frame information, of a thread that stands still or of any at all;
 * parameters, variables, members of structures. A value need not be a number: what depends on a
 * register whose contents nobody knows is that register and an offset. Nothing in the bytes is
 * trusted.
 */
#ifndef SYMBOLS_CFI_DWARFEXPR_H
#define SYMBOLS_CFI_DWARFEXPR_H

#include "base/base.h"

enum dwexpr_base {
	DWEXPR_CONST,	/* a number: off */
	DWEXPR_REG,	/* what register reg holds (psABI figure 3.36), plus off */
	DWEXPR_FRAME,	/* the base of the function's frame, plus off */
	DWEXPR_OBJECT,	/* of the structure that a member is in, plus off */
	DWEXPR_ADDRESS, /* a link-time address: off */
	DWEXPR_UNKNOWN, /* what stands in a table that we do not have */
};

struct dwexpr_value {
	uint8_t base;	/* enum dwexpr_base */
	bool is_loaded; /* it is not that, but the word that lies there, plus add */
	uint32_t reg;
	uint64_t off, add;
};

/* An operation by itself, as libdw has it. */
struct dwexpr_op {
	uint8_t atom;
	uint64_t number, number2; /* its operands */
};

/* Either the bytes or, when somebody has taken them apart already, operations without jumps. */
struct dwexpr {
	const uint8_t *bytes;
	const struct dwexpr_op *ops;
	size_t n; /* of either */
};

/* Reads eight bytes of the program's memory. */
typedef bool dwexpr_read(void *arg, taddr_t addr, uint64_t *value);

struct dwexpr_context {
	const struct dwexpr_value *first; /* what the stack holds at first; NULL: nothing */
	/* Of a thread that stands still; NULL: the expression is to hold for any, and addresses are
	 * those that the linker knew. */
	const uint64_t *regs;
	unsigned nregs;
	dwexpr_read *read;
	void *arg;
};

#define DWEXPR_REGS 2

struct dwexpr_location {
	enum {
		DWEXPR_MEMORY,	  /* at `value`; of call frame information: `value` itself */
		DWEXPR_TLS,	  /* at that offset in the file's block of each thread */
		DWEXPR_VALUE,	  /* nowhere: it is `value` */
		DWEXPR_REGISTERS, /* in these, 8 bytes each, but that the last may hold less */
	} kind;
	struct dwexpr_value value;
	unsigned nregs, regs[DWEXPR_REGS];
};

/* Returns 0, or -EINVAL: it cannot be told; -EFAULT: the memory cannot be read. */
int dwexpr_eval(const struct dwexpr *, const struct dwexpr_context *, struct dwexpr_location *);

/* Is it that base and a fixed offset? */
static inline bool dwexpr_is_offset(const struct dwexpr_location *l, enum dwexpr_base base)
{
	return l->kind == DWEXPR_MEMORY && l->value.base == base && !l->value.is_loaded;
}

#endif
