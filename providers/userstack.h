/*
 * userstack.h: user stacks of samples by call frame information (-x ustackunwind): the kernel gives
 * the registers and the top of the stack, the files of the process say how to get from frame to
 * frame. The process has gone on, or is gone, when that is done.
 */
#ifndef PROVIDERS_USERSTACK_H
#define PROVIDERS_USERSTACK_H

#include "providers/livespace.h"

#define USERSTACK_BYTES	 16384 /* of the stack; deeper frames are not seen */
#define USERSTACK_FRAMES 128
/* perf_event_attr.sample_regs_user: rax to rflags, r8 to r15 (asm/perf_regs.h). */
#define USERSTACK_REGS	0xff03ffULL
#define USERSTACK_NREGS 18

struct userstacks;

struct userstacks *userstacks_new(struct livespaces *);
void userstacks_free(struct userstacks *);

/* What a sample has of a thread in user space. */
struct userstack {
	const uint64_t *regs; /* USERSTACK_NREGS, in the order of their bits */
	const char *stack;    /* from rsp on */
	uint64_t len;
};
/* Returns how many pcs there are, innermost first; valid until the next call. */
unsigned userstack_walk(struct userstacks *, pid_t, const struct userstack *, const taddr_t **pcs);

#endif
