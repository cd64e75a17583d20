/*
 * emit.h: the code that a hooked function runs first. Pure.
 *
 * Each thread keeps, in a word of its control block that the C library leaves alone, how far its
 * block lies behind the first one (hook_proto.h); a cell is then one address plus that distance:
 *
 *     push %rax;  mov %fs:HOOK_WORD, %rax;  incq CELL(%rax);  pop %rax
 *
 * No lock, no branch, no system call; one instruction counts, so a signal cannot tear it apart.
 * What is more than counting is a function of the hook object, which keeps every register:
 *
 *     push %rax;  mov $NUMBER, %eax;  call FUNCTION;  pop %rax
 */
#ifndef INJECT_EMIT_H
#define INJECT_EMIT_H

#include "inject/reloc.h"

#define STUB_MAX    272
#define PAYLOAD_MAX 4 /* in one stub */

enum payload_kind {
	PAYLOAD_COUNT, /* adds one to a cell */
	PAYLOAD_CALL,  /* calls a function of the hook object */
};

struct payload {
	enum payload_kind kind;
	uint32_t cell;	  /* COUNT: its address in the first block: below 2 GiB */
	taddr_t function; /* CALL: of the copy near the stub */
	uint32_t number;  /* CALL: what it is given: below 2^31 */
};

struct stub {
	unsigned len, window;
	uint8_t code[STUB_MAX];
};

struct stub_request {
	const uint8_t *bytes; /* of the function, as in its file */
	size_t n;
	taddr_t from;	 /* the function */
	taddr_t to;	 /* the stub */
	unsigned need;	 /* bytes of it that are replaced at least */
	bool is_careful; /* it may not be a function's beginning: flags and red zone are live */
	const struct payload *payloads; /* done in this order */
	unsigned npayloads;		/* at most PAYLOAD_MAX */
};

/* Errors: as of reloc_window, and of a function out of reach. */
int stub_emit(struct insn_decoder *, const struct stub_request *, struct stub *, struct err *);

/* The jump that replaces the window. -ERANGE: too far. */
int jump_emit(taddr_t from, taddr_t to, uint8_t code[JUMP_LEN]);
int short_jump_emit(taddr_t from, taddr_t to, uint8_t code[SHORT_JUMP_LEN]);

#endif
