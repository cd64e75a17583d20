/*
 * userstack.h: user stacks of threads that were not stopped, by call frame information: the kernel
 * gives the registers and the top of the stack as they were, the process, or its files when it is
 * gone, say how to get from frame to frame. Where only return addresses by frame pointers are to be
 * had, they end at the first that cannot be one.
 */
#ifndef PROVIDERS_WORLD_USERSTACK_H
#define PROVIDERS_WORLD_USERSTACK_H

#include "base/userregs.h"
#include "providers/world/procspace.h"

#define USERSTACK_BYTES 16384 /* of the stack; deeper frames are not seen */
/* perf_event_attr.sample_regs_user: rax to rflags, r8 to r15 (asm/perf_regs.h). */
#define USERSTACK_REGS	0xff03ffULL
#define USERSTACK_NREGS 18

struct userstacks;

/* by_files: no process is asked, as if all were gone. */
struct userstacks *userstacks_new(struct procspaces *, bool by_files);
void userstacks_free(struct userstacks *);

/* What is known of a thread in user space. */
struct userstack {
	struct regs regs;
	bool has_regs;
	const char *stack; /* from regs.rsp on */
	uint64_t len;
	const taddr_t *chain; /* by frame pointers, innermost first */
	unsigned nchain;
};

/* From the order of USERSTACK_REGS, and to it. */
void userstack_set_regs(struct userstack *, const uint64_t regs[USERSTACK_NREGS]);
void userstack_get_regs(const struct regs *, uint64_t v[USERSTACK_NREGS]);

/* Returns how many pcs there are, innermost first. */
unsigned userstack_walk(struct userstacks *, pid_t, const struct userstack *, taddr_t *pcs,
			unsigned max);

#endif
