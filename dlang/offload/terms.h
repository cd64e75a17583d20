/*
 * terms.h: what follows from the code of an expression alone, instruction by instruction: for the
 * files of this room.
 */
#ifndef DLANG_OFFLOAD_TERMS_H
#define DLANG_OFFLOAD_TERMS_H

#include "dlang/offload/pushdown.h"

/* Of one predicate: more is not looked at. */
#define MAX_STEPS 4096
#define MAX_REGS  8

/* What a register holds, as far as it follows from the code alone. */
struct term {
	enum {
		TERM_UNKNOWN,
		TERM_CONST,
		TERM_TEXT,    /* text */
		TERM_BUILTIN, /* id */
		TERM_ADDRESS, /* args[id] + off */
		TERM_FIELD,   /* size bytes at that address */
		TERM_MADE,    /* a text that follows from the record */
	} kind;
	uint64_t value; /* CONST */
	const char *text;
	unsigned id, size;
	int64_t off;
	bool is_signed;
	uint64_t mask; /* of BUILTIN and FIELD: these bits of it; 0: all */
	/* a cast shifts to the left, then back */
	uint8_t shifted, nbits; /* nbits: that are left of it; 0: all */
};

/* What a branch looks at. */
struct compared {
	bool are_texts;
	struct term a, b;
};

struct state {
	struct term regs[MAX_REGS];
	struct compared last;
};

struct walk {
	struct filter *filter;
	const struct filter_source *source;
	const struct probe *probe;
	const struct difo *difo;
	unsigned nsteps;
};

/* args[n] that is no address is argN. */
struct term term_number(const struct term *);
/* One instruction that goes on to the next. False: it may fault, or does more than to look. */
bool term_step(const struct walk *, uint32_t insn, struct state *);

#endif
