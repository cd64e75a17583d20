/*
 * sysv.h: where the x86-64 psABI (section 3.2.3) has a function's arguments and result.
 */
#ifndef PROVIDERS_PID_SYSV_H
#define PROVIDERS_PID_SYSV_H

#include "dlang/provider.h"
#include "symbols/dwarf/types.h"

#define SYSV_INT_REGS 6 /* rdi rsi rdx rcx r8 r9, as event.args has them */
#define SYSV_SSE_REGS 8

/* What the arguments placed so far have taken. */
struct sysv_layout {
	unsigned ints, sses;
	uint64_t stack;	 /* offset from the stack pointer at entry */
	bool is_unknown; /* one of unknown size came: nobody knows what it has taken */
};

/* The result is in memory, whose address is the first argument. */
bool sysv_in_memory(const struct type *result);
/* `in_memory`: the result is. */
void sysv_layout_init(struct sysv_layout *, bool in_memory);
/* The next argument; `by_address`: C++ passes the address of a copy. The type is not set. */
struct probe_arg sysv_next(struct sysv_layout *, const struct type *, bool by_address);
/* A result that is not in memory, when the function returns: event.args[1] and [2] are rax and rdx.
 */
struct probe_arg sysv_result(const struct type *);

#endif
