/*
 * stackcode.h: stacks as keys of aggregations: each is kept once, in a map `stacks` whose key, two
 * words that follow from its frames, stands for it in keys of aggregations. Of a process they
 * follow from its number and the program it has executed, too, and when it was first seen is kept:
 * what its addresses mean is known of that time.
 */
#ifndef PROVIDERS_KERNEL_KPROG_STACKCODE_H
#define PROVIDERS_KERNEL_KPROG_STACKCODE_H

#include <stddef.h>

#include "providers/kernel/kprog/emit.h"

#define STACKCODE_WORDS	 2   /* of a key */
#define STACKCODE_FRAMES 120 /* the most that a key may ask for */
#define STACKCODE_OWN	 7   /* innermost frames that are those of tracing itself */
/* Of an element: the bytes of its frames, when it was first seen (0: of the kernel), the frames. */
#define STACKCODE_HEAD		2 /* words */
#define STACKCODE_SIZE(nframes) (((size_t)(nframes) + STACKCODE_HEAD) * 8)

struct stack_maps {
	int stacks_fd;	  /* hash map, as above */
	int frames_fd;	  /* per-CPU array of such elements, one for each program */
	unsigned nframes; /* of an element; 0: no clause has a stack as key */
	bool has_user;	  /* some are of processes */
};

/* Makes the maps, in which so many bytes of stacks find room. Returns 0 or a negative errno. */
int stack_maps_make(struct stack_maps *, unsigned nprograms, size_t size);
void stack_maps_close(struct stack_maps *);

struct stackcode {
	unsigned program;
	/* registers that are kept over calls: the context, the thread whose stack is meant (0: the
	 * current one), the current thread */
	unsigned ctx, task, thread;
	int at;	   /* r10 + at: where the two words go */
	int spare; /* the 8 bytes at r10 + spare are used */
	/* the stack of the process by frame pointers, of the current thread; where that has the
	 * number of its process, and how often it has called exec */
	bool is_user;
	int tgid_at, execs_at;
};
struct stack_exits {
	unsigned at[2];
};
/* Writes the code that puts the words there; r0 to r5 are used. Returns the jumps of those that
 * find no room. */
struct stack_exits stackcode_write(struct emitter *, const struct stack_maps *,
				   const struct stackcode *);

#endif
