/*
 * vmmem.h: the memory a running DIFO sees. Two kinds of addresses:
 *
 *   ours    the session's arena (scratch, variables, string tables, names of probes) and the raw
 *           data of the event: loaded directly;
 *   target  every other address, and every address used by an uld* instruction: read through
 *           event.target; in events without a process (BEGIN, tick) that is $target. Without a
 *           target: the fault `invalid address`.
 *
 * Stores go to scratch memory and to the values of variables only: a program can overwrite its
 * data, never our bookkeeping. Freestanding: no libc but the mem* functions a compiler may call
 * anyway.
 */
#ifndef DLANG_RUN_VMMEM_H
#define DLANG_RUN_VMMEM_H

#include "dlang/run/vm.h"

/* Sets the fault of the clause; the first one stays. The instruction loop adds the offset. */
void vm_fail(struct vm *, enum fault, uint64_t value);

/* Are these n bytes ours to read? */
static inline bool vm_owns(const struct vm *vm, uint64_t addr, uint64_t n)
{
	uint64_t base = (uintptr_t)vm->arena->base, end = (uintptr_t)vm->arena->next;

	if (addr >= base && addr < end)
		return n <= end - addr;
	base = (uintptr_t)vm->ev->raw;
	return base && addr >= base && addr - base < vm->ev->rawlen &&
	       n <= vm->ev->rawlen - (addr - base);
}

/* May these n bytes be stored to? */
bool vm_may_store(const struct vm *, uint64_t addr, uint64_t n);

/* n bytes of scratch memory, aligned to 8; NULL and the fault if there is no room. */
char *vm_scratch(struct vm *, uint64_t n);

/* Reads n bytes of the target. False: fault with the address. */
bool vm_read_target(struct vm *, void *dst, uint64_t addr, uint64_t n);

/* A string operand: up to strsize characters, not necessarily followed by a NUL. */
struct vm_str {
	const char *s;
	uint64_t len;
};
/* The string at addr; one of the target is first copied to scratch. False: fault. */
bool vm_string(struct vm *, uint64_t addr, struct vm_str *out);

/*
 * The address of a copy of n characters in scratch, cut to strsize; 0 and the fault without room. s
 * may lie in scratch that was released and is now given out anew.
 */
uint64_t vm_new_string(struct vm *, const char *s, uint64_t n);

/*
 * Copies the string at addr to dst, at most size - 1 characters, and a NUL after them. The rest of
 * dst is left as it is. Returns the length, or -1 and the fault.
 */
int64_t vm_get_string(struct vm *, char *dst, uint64_t size, uint64_t addr, bool userland);

#endif
