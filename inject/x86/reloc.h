/*
 * reloc.h: a few instructions of a function, made to run elsewhere, with something of ours among
 * them. Pure: bytes in, bytes out; docs/spec/fpid-engine.md §1.3.
 */
#ifndef INJECT_X86_RELOC_H
#define INJECT_X86_RELOC_H

#include "symbols/x86/disasm.h"
#include "tracer/x86/insn.h"

#define JUMP_LEN	 5   /* of what replaces them: jmp rel32 */
#define SHORT_JUMP_LEN	 2   /* jmp rel8 */
#define RELOC_WINDOW_MAX 32  /* bytes displaced */
#define RELOC_MOVED_MAX	 512 /* bytes of code, but for native clauses */
#define RELOC_CODE_MAX	 (RELOC_MOVED_MAX + 4096)
#define RELOC_STOPS	 8

struct reloc {
	unsigned window; /* bytes of the original that are replaced: whole instructions */
	unsigned len;	 /* of code */
	unsigned usual;	 /* bytes of it, in front of its cold parts */
	/* Where the instruction that begins at that byte of the window begins now, with what is
	 * done before it; 0: none begins there, or it is the first. */
	uint16_t new_offset[RELOC_WINDOW_MAX];
	/* Of each byte of the window: where the instruction that begins there stands, + 1; 0: none
	 * does. What is done before it is not part of it, but of a jump that leaves. */
	uint16_t insn_at[RELOC_WINDOW_MAX];
	uint8_t code[RELOC_CODE_MAX];
};

/*
 * A place among them. is_exit: the instruction there leaves the function; what stands there runs
 * right before it, and of a conditional jump only when it is taken. is_offset: that is none of an
 * entry or exit, but of the instruction: entries stand in front of it, exits behind. leads_to_ret:
 * it is a jump to a `ret` of one byte, which is done in its place; is_offset is of that then.
 */
struct reloc_stop {
	uint8_t off; /* in the window */
	bool is_exit, is_offset, leads_to_ret;
	int32_t ret; /* leads_to_ret: where that stands, from the window's beginning on */
};

/* May that instruction stand among others that are moved, in front of one of them? */
bool reloc_may_move(const uint8_t *bytes, const struct insn *, taddr_t pc);
bool reloc_stop_is_same(const struct reloc_stop *, const struct reloc_stop *);

/* Writes what stands at stop i, to run at address `at`; returns its length, or a negative errno. */
typedef int reloc_fill_fn(void *arg, unsigned i, taddr_t at, uint8_t *code, unsigned room);

struct reloc_request {
	const uint8_t *bytes; /* n are readable */
	size_t n;
	taddr_t from, to;
	unsigned need;			/* bytes that are moved at least */
	const struct reloc_stop *stops; /* by their places; those of one place in order */
	unsigned nstops;
	reloc_fill_fn *fill;
	void *arg;
};

/*
 * Moves the instructions that make up the first `need` bytes; what follows them is reached by a
 * jump. A call pushes the address it would have pushed: who looks at the stack sees nothing of us.
 * Errors: -EINVAL with the reason, -ERANGE out of reach.
 */
int reloc_window(const struct reloc_request *, struct reloc *, struct err *);

#endif
