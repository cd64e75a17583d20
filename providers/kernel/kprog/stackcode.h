/*
 * stackcode.h: stacks of the kernel as keys of aggregations: each is kept once, in a map `stacks`
 * whose key, two words that follow from its frames, stands for it in keys of aggregations.
 */
#ifndef PROVIDERS_KERNEL_KPROG_STACKCODE_H
#define PROVIDERS_KERNEL_KPROG_STACKCODE_H

#include <stddef.h>

#include "providers/kernel/kprog/emit.h"

#define STACKCODE_WORDS	 2   /* of a key */
#define STACKCODE_FRAMES 120 /* the most that a key may ask for */
#define STACKCODE_OWN	 7   /* innermost frames that are those of tracing itself */
/* Of an element: its bytes, then the frames. */
#define STACKCODE_SIZE(nframes) (((size_t)(nframes) + 1) * 8)

struct stack_maps {
	int stacks_fd;	  /* hash map, as above */
	int frames_fd;	  /* per-CPU array of such elements, one for each program */
	unsigned nframes; /* of an element; 0: no clause has a stack as key */
};

/* Makes the maps, in which so many bytes of stacks find room. Returns 0 or a negative errno. */
int stack_maps_make(struct stack_maps *, unsigned nprograms, size_t size);
void stack_maps_close(struct stack_maps *);

/*
 * Writes the code that puts the two words at r10 + `at`, of the stack of the current thread, or of
 * the thread whose task_struct is in `task` (a register that is kept over calls; 0: the current
 * one). The context is in `ctx`; the 8 bytes at r10 + `spare` and r0 to r5 are used. Returns the
 * jumps of those that find no room.
 */
struct stack_exits {
	unsigned at[2];
};
struct stack_exits stackcode_write(struct emitter *, const struct stack_maps *, unsigned program,
				   unsigned ctx, unsigned task, int at, int spare);

#endif
