/*
 * reloc.h: the first instructions of a function, made to run elsewhere. Pure: bytes in, bytes out;
 * fpid-engine.md §1.3.
 */
#ifndef INJECT_RELOC_H
#define INJECT_RELOC_H

#include "tracer/insn.h"

#define JUMP_LEN	 5  /* of what replaces them: jmp rel32 */
#define SHORT_JUMP_LEN	 2  /* jmp rel8 */
#define RELOC_WINDOW_MAX 32 /* bytes displaced: the jump's five, and the rest of an instruction */
#define RELOC_CODE_MAX	 96

struct reloc {
	unsigned window; /* bytes of the original that are replaced: whole instructions */
	unsigned len;	 /* of code */
	uint8_t code[RELOC_CODE_MAX];
};

/*
 * Moves the instructions at `from` that make up the first `need` bytes to `to`; what follows them
 * is reached by a jump. n bytes are readable. A call pushes the address it would have pushed: who
 * looks at the stack sees nothing of us. Errors: -EINVAL with the reason, -ERANGE out of reach.
 */
int reloc_window(struct insn_decoder *, const uint8_t *bytes, size_t n, taddr_t from, taddr_t to,
		 unsigned need, struct reloc *, struct err *);

#endif
