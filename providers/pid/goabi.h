/*
 * goabi.h: where a function of Go has its arguments and results: ABIInternal of Go 1.17 and later
 * ("Go internal ABI specification", in the sources of Go), and the order on the stack that both it
 * and older versions follow.
 */
#ifndef PROVIDERS_PID_GOABI_H
#define PROVIDERS_PID_GOABI_H

#include "base/arena.h"
#include "dlang/provider.h"

/* What has been given away so far; all places are those of the function's first instruction. */
struct goabi_layout {
	struct arena *arena; /* of the pieces */
	bool in_registers;   /* else everything is on the stack */
	unsigned ints, floats;
	uint64_t stack; /* where the next one is, from the stack pointer */
	bool is_unknown;
};

void goabi_layout_init(struct goabi_layout *, struct arena *, bool in_registers);
struct probe_arg goabi_next(struct goabi_layout *, const struct type *);
/* After the last argument: the registers begin anew, the stack goes on. */
void goabi_results(struct goabi_layout *);

#endif
