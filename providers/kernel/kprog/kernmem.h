/*
 * kernmem.h: the kernel's memory, read by a BPF program of kind `syscall` that is run for each
 * read, and the threads of the kernel by their numbers (dlang/kernelmem.h).
 */
#ifndef PROVIDERS_KERNEL_KERNMEM_H
#define PROVIDERS_KERNEL_KERNMEM_H

#include "dlang/kernelmem.h"
#include "providers/world/world.h"

extern const struct kernelmem kernel_memory;

/* An event has told of this thread: its memory is read only while it is still the same. */
void kernmem_tell(struct world *, const struct kernthread *);

/* kernpath.c: kernelmem.path */
ssize_t kernel_path(struct session *, const struct kernthread *fires, taddr_t path, char *buf,
		    size_t n);

void world_kernmem_free(struct world *); /* closes what was opened */

#endif
