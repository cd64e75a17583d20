/*
 * native.h: what a claimed clause does, as machine code that the hook object calls at a hit
 * (hook_claim). Integers only: what is written here cannot fault, loop or leave its memory,
 * whatever it is given. Pure: calls in, bytes out.
 *
 * A piece is one function: native_begin, then expressions, each of which ends with native_return,
 * and what is done with their values; native_end. An expression has registers 1 to 7, register 0
 * reads as 0, and branches that lead forward, to instructions by number.
 */
#ifndef INJECT_NATIVE_H
#define INJECT_NATIVE_H

#include "base/base.h"

#define NATIVE_MAX    4096 /* bytes of a piece */
#define NATIVE_NREGS  8
#define NATIVE_LOCALS 16 /* words of the piece's own */

enum native_op { /* d = a op b */
		 NATIVE_OR,
		 NATIVE_XOR,
		 NATIVE_AND,
		 NATIVE_ADD,
		 NATIVE_SUB,
		 NATIVE_MUL,
		 NATIVE_SLL, /* shifts by b & 63 */
		 NATIVE_SRL,
		 NATIVE_SRA,
		 NATIVE_NOT,  /* d = ~a */
		 NATIVE_MOV,  /* d = a */
		 NATIVE_SDIV, /* the last four: b is neither 0 nor -1 */
		 NATIVE_UDIV,
		 NATIVE_SREM,
		 NATIVE_UREM,
};

enum native_cond { /* as the processor encodes them; of a compared with b */
		   NATIVE_BELOW = 2,
		   NATIVE_ABOVE_EQUAL = 3,
		   NATIVE_EQUAL = 4,
		   NATIVE_NOT_EQUAL = 5,
		   NATIVE_BELOW_EQUAL = 6,
		   NATIVE_ABOVE = 7,
		   NATIVE_LESS = 12,
		   NATIVE_GREATER_EQUAL = 13,
		   NATIVE_LESS_EQUAL = 14,
		   NATIVE_GREATER = 15,
		   NATIVE_ALWAYS = 16,
};

struct native {
	taddr_t at; /* where it will stand */
	unsigned len;
	uint8_t code[NATIVE_MAX];
	bool overflows;
	/* of the expression: */
	struct native_branch {
		unsigned from; /* behind it */
		unsigned to;   /* instruction */
	} branches[64];
	unsigned nbranches;
};

/* at: 16 bytes aligned. What locals hold is not known. */
void native_begin(struct native *, taddr_t at);
/* Returns its length, or -ENOSPC: something did not fit. */
int native_end(struct native *);

/* Expressions. Before the instructions: their numbers start at 0 again. */
void native_expr(struct native *);
void native_label(struct native *, unsigned insn); /* it stands here */
void native_op(struct native *, enum native_op, unsigned d, unsigned a, unsigned b);
void native_constant(struct native *, unsigned d, uint64_t value);
/* A register of the program (offset in struct hook_regs), a word of the thread's block, a local. */
void native_load_saved(struct native *, unsigned d, unsigned off);
void native_load_block(struct native *, unsigned d, unsigned off);
void native_load_local(struct native *, unsigned d, unsigned local);
/* What a variable of that size keeps of a; a stays as it is. */
struct native_type {
	unsigned size; /* 1, 2, 4, 8 */
	bool is_signed;
};
void native_store_block(struct native *, unsigned off, unsigned a, struct native_type);
void native_store_local(struct native *, unsigned local, unsigned a, struct native_type);
void native_branch(struct native *, enum native_cond, unsigned a, unsigned b, unsigned to);
/* The value is a. All instructions have been seen when `local` takes it. */
void native_return(struct native *, unsigned a);
void native_keep(struct native *, unsigned local);

/* What is done with values, in terms of locals. Forward to the place where native_here is called.
 */
unsigned native_unless(struct native *, unsigned local);
void native_here(struct native *, unsigned jump);
/* local = function() */
void native_call_now(struct native *, taddr_t function, unsigned local);
/* function(block, agg, address of the first key, value) */
void native_call_aggregate(struct native *, taddr_t function, taddr_t agg, unsigned keys,
			   unsigned value);

#endif
