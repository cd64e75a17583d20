/*
 * trampoline.h: the code that runs in place of a window of a hooked function. Pure.
 *
 * Each thread keeps, in a word of its control block that the C library leaves alone, the address of
 * its block (hook_proto.h), or 0, and then nothing is done; a cell lies at a distance from there:
 *
 *     push %rcx;  mov %fs:WORD, %rcx;  jrcxz 1f;  incq CELL(%rcx);  1: pop %rcx
 *
 * No lock, no system call, no flag changed that anybody looks at there; one instruction counts, so
 * a signal cannot tear it apart. Where threads take their blocks themselves (struct
 * hook_selfclaim), the word leads to that address, or to 0, and the thread takes one first:
 *
 *     push %rcx;  mov %fs:WORD, %rcx;  mov (%rcx), %rcx;  jrcxz 1f;  jmp 2f
 *     1: call TAKE_BLOCK;  2: incq CELL(%rcx);  pop %rcx
 *
 * What is more than counting is a function of the hook object, which keeps every register:
 *
 *     push %rax;  mov $NUMBER, %eax;  call FUNCTION;  pop %rax
 *
 * or a native clause made for the site: push %rax; ...; pop %rax. A call that leaves a record of
 * few words is written as one, if there is room. Behind that push stands
 *
 *     mov -HOOK_DEPTH(%rsp), %eax
 *
 * which is where it faults when the stack is nearly used up, and with it what stands before; so it
 * is known what is to be undone (trampoline_undo).
 */
#ifndef INJECT_X86_TRAMPOLINE_H
#define INJECT_X86_TRAMPOLINE_H

#include "inject/x86/native.h"
#include "inject/x86/reloc.h"

#define PAYLOAD_MAX  4	/* at one stop */
#define PAYLOAD_SIZE 56 /* bytes of code, at most, and those of a native clause */

enum payload_kind {
	PAYLOAD_COUNT,	/* adds one to a cell */
	PAYLOAD_CALL,	/* calls a function of the hook object */
	PAYLOAD_NATIVE, /* native.h */
};

struct payload {
	enum payload_kind kind;
	uint32_t cell;			    /* COUNT: its distance from the block: below 2 GiB */
	taddr_t function;		    /* CALL: of the copy near the trampoline */
	uint32_t number;		    /* CALL: what it is given: below 2^31 */
	const struct native_record *record; /* CALL: is this; NULL: anything */
	const struct native *native;
};

struct payloads { /* done in this order */
	unsigned n;
	struct payload v[PAYLOAD_MAX];
};

/* Where in a trampoline what is done at stop i stands: the first payload from begin[i] to
 * end[i][0], the next one from there to end[i][1] ... */
struct trampoline_map {
	uint16_t begin[RELOC_STOPS], end[RELOC_STOPS][PAYLOAD_MAX];
};

struct cold_parts;
struct trampoline_request {
	struct reloc_request moved;	 /* the window and its stops; fill and arg are not yours */
	struct cold_parts *cold_parts;	 /* nor is this */
	const struct payloads *payloads; /* of each stop */
	struct trampoline_map *map;	 /* out; may be NULL */
	/* It may not be a function's beginning or its end, or flags pass there: they and the red
	 * zone are live. */
	bool keeps_flags_and_redzone;
	uint32_t word;	    /* of the thread control block (inject/x86/tlsword.h) */
	taddr_t take_block; /* HOOK_FN_TAKE_BLOCK near the trampoline; 0: each thread has a block */
};

/* Errors: as of reloc_window. */
int trampoline_emit(const struct trampoline_request *, struct reloc *, struct err *);

/*
 * What a payload has done when the instruction that begins at `at` of it has found no stack: *undo
 * bytes lie below the stack pointer that the program has there; *has_rax: the last of them is rax.
 * False: that instruction cannot.
 */
bool trampoline_undo(const uint8_t *payload, unsigned at, bool keeps_flags_and_redzone,
		     unsigned *undo, bool *has_rax);

/* Of one that counts: another cell, as in struct payload; take_block is 0. */
void trampoline_set_cell(uint8_t *payload, bool keeps_flags_and_redzone, uint32_t cell);

/* The jump that replaces the window. -ERANGE: too far. */
int trampoline_jump(taddr_t from, taddr_t to, uint8_t code[JUMP_LEN]);
int trampoline_short_jump(taddr_t from, taddr_t to, uint8_t code[SHORT_JUMP_LEN]);

#endif
