/*
 * dataflow.h: which memory of the target a clause reads, if that can be told from its code alone:
 * addresses that come from arguments by constant offsets and pointers on the way. Each instruction
 * is looked at once, with what is known of registers and of this-> variables before it.
 */
#ifndef DLANG_OFFLOAD_DATAFLOW_H
#define DLANG_OFFLOAD_DATAFLOW_H

#include "dlang/offload/capture.h"

struct flowval {
	enum {
		FLOW_LOST, /* a number that may be an address of the target's */
		FLOW_SAFE, /* D's own memory, or a number that is no address */
		FLOW_CONST,
		FLOW_ADDRESS, /* base, index and off as in struct capture_mem */
		FLOW_COPY,    /* a copy of len bytes of what is at that address, less at bytes */
	} kind;
	unsigned base, index;
	int64_t off; /* CONST: the value */
	uint32_t len, at;
};

#define FLOW_VARS 32

struct dataflow {
	struct capture *capture;
	uint64_t strsize;
	struct flowval stack[DIF_NTREGS];
	uint8_t pushed[DIF_NTREGS]; /* as what: DIF_PUSH_STRING ... */
	unsigned nstack;
	struct flowval result; /* of the last expression */
	struct {
		uint16_t id;
		struct flowval value;
		struct flowval later; /* in a later clause: any of what it was, or 0 */
	} vars[FLOW_VARS];	      /* this-> */
	unsigned nvars;
	bool is_within;
	struct flowval regs[DIF_NREGS]; /* the last: few of them are used, and copied */
};

/* Before the first clause of a firing, whose this-> variables are 0; `is_within`: of another
 * firing, in which they may be anything. */
void dataflow_begin(struct dataflow *, uint64_t strsize, bool is_within);
/* At the beginning of each clause. Then its predicate and actions, in order: what they read is
 * added to the capture. They return NULL, or why that cannot be told. */
void dataflow_clause(struct dataflow *, struct capture *);
const char *dataflow_difo(struct dataflow *, const struct difo *);
const char *dataflow_action(struct dataflow *, const struct action *);

#endif
