/*
 * emit.h: the code that a hooked function runs first. Pure.
 *
 * Each thread keeps, in a word of its control block that the C library leaves alone, how far its
 * block of counters lies behind the first one; a counter is then one address plus that distance:
 *
 *     push %rax;  mov %fs:HOOK_WORD, %rax;  incq COUNTER(%rax);  pop %rax
 *
 * No lock, no branch, no system call; one instruction counts, so a signal cannot tear it apart.
 */
#ifndef INJECT_EMIT_H
#define INJECT_EMIT_H

#include "inject/reloc.h"

#define STUB_MAX 160

struct stub {
	unsigned len, window;
	uint8_t code[STUB_MAX];
};

struct stub_request {
	const uint8_t *bytes; /* of the function, as in its file */
	size_t n;
	taddr_t from;	  /* the function */
	taddr_t to;	  /* the stub */
	unsigned need;	  /* bytes of it that are replaced at least */
	uint32_t counter; /* address of the counter in the first block: below 2 GiB */
	bool is_careful;  /* it may not be a function's beginning: flags and red zone are live */
};

/* Errors: as of reloc_window. */
int stub_emit(struct insn_decoder *, const struct stub_request *, struct stub *, struct err *);

/* The jump that replaces the window. -ERANGE: too far. */
int jump_emit(taddr_t from, taddr_t to, uint8_t code[JUMP_LEN]);
int short_jump_emit(taddr_t from, taddr_t to, uint8_t code[SHORT_JUMP_LEN]);

#endif
