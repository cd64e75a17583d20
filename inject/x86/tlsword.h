/*
 * tlsword.h: where a thread finds its block of counters: a word of its control block (%fs:) that
 * the C library leaves alone. Which one that is depends on the library.
 */
#ifndef INJECT_X86_TLSWORD_H
#define INJECT_X86_TLSWORD_H

#include "symbols/modules.h"

struct tlsword {
	uint32_t word; /* distances from %fs:0: the word, zero in a new thread or inherited */
	uint32_t self; /* where the control block holds its own address */
	uint32_t tid;  /* and the thread's number, 32 bits */
};

/*
 * Of a process with these modules; files are read. Errors, with what follows "cannot be hooked: ":
 * -EINVAL there is none, -ENOENT it is not known, and may be when more is mapped.
 */
int tlsword_find(const struct modules *, struct tlsword *, struct err *);

#endif
