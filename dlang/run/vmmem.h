/*
 * vmmem.h: the memory a running DIFO sees. Four kinds of addresses:
 *
 *   ours    what alloca() and copyin() gave the clause so far, the values of variables, strings and
 *           structures of expressions, string constants of the DIFO, texts of built-in variables
 *           (vm_lend), the raw data of the event: loaded directly;
 *   closed  the rest of the session's arena: never read or written, the fault `invalid address`;
 *   kernel  every address of it that the target has not recorded, where the event or the types of
 *           the clause are the kernel's: read through session_engine.kernelmem;
 *   target  every other address, and every address used by an uld* instruction: read through
 *           event.target; in events without a process (BEGIN, tick) that is $target. Without a
 *           target: the fault `invalid address`.
 *
 * A range that begins in scratch memory and ends beyond what is allocated is the fault `invalid
 * size`. Stores go to scratch memory and to values only: a program can overwrite its data, never
 * our bookkeeping. Freestanding: no libc but the mem* functions a compiler may call anyway.
 */
#ifndef DLANG_RUN_VMMEM_H
#define DLANG_RUN_VMMEM_H

#include "dlang/run/vm.h"

/* Sets the fault of the clause; the first one stays. The instruction loop adds the offset. */
void vm_fail(struct vm *, enum fault, uint64_t value);

/* n bytes of ours where they lie, all of them there; NULL: fault. */
const char *vm_own_bytes(struct vm *, uint64_t addr, uint64_t n);

/* May these n bytes be stored to? False: fault. */
bool vm_may_store(struct vm *, uint64_t addr, uint64_t n);

/*
 * n bytes until the end of the clause, aligned to 8; NULL and the fault if there is no room. temp:
 * for what an expression makes, not zeroed. alloca: of scratchsize, for the program.
 */
char *vm_temp(struct vm *, uint64_t n);
char *vm_alloca(struct vm *, uint64_t n);

/* The address of a text of ours that the program may read during this clause. */
uint64_t vm_lend(struct vm *, const char *s);

/* Reads n bytes of the target, or (not `userland`) of the kernel. False: fault with the address. */
bool vm_read_target(struct vm *, void *dst, uint64_t addr, uint64_t n, bool userland);

/* A string operand: up to strsize characters, not necessarily followed by a NUL. */
struct vm_str {
	const char *s;
	uint64_t len;
};
/* The string at addr; one of the target is copied first. False: fault. */
bool vm_string(struct vm *, uint64_t addr, struct vm_str *out);

/*
 * The address of a copy of n characters, cut to strsize; 0 and the fault without room. s may lie in
 * a temp that was released and is now given out anew.
 */
uint64_t vm_new_string(struct vm *, const char *s, uint64_t n);

/* The path of a struct path of the kernel, as a text of ours; 0 and the fault. */
uint64_t vm_kernel_path(struct vm *, uint64_t addr);

/*
 * Copies the string at addr to dst, at most size - 1 characters, and a NUL after them. The rest of
 * dst is left as it is. Returns the length, or -1 and the fault.
 */
int64_t vm_get_string(struct vm *, char *dst, uint64_t size, uint64_t addr, bool userland);

#endif
