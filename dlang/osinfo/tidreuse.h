/*
 * tidreuse.h: the kernel gives the number of a thread that has ended to another one. Thread
 * variables belong to a thread, not to its number: which use of a number is it now?
 */
#ifndef DLANG_OSINFO_TIDREUSE_H
#define DLANG_OSINFO_TIDREUSE_H

#include "base/hash.h"

struct tidreuse {
	uint8_t *seen;	   /* a bit a number; NULL: none yet */
	struct hash again; /* number → how often it was used again */
};

/* A thread of that number begins to be traced. Engine only, never during a hit. */
void tidreuse_begin(struct tidreuse *, pid_t tid);
/* 0: the first that was seen, or none; freestanding. */
uint64_t tidreuse_of(const struct tidreuse *, pid_t tid);

#endif
