/*
 * toldthreads.h: threads that clauses were told of, by the kernel's memory they live in: an address
 * may be kept in a variable until another thread lives there, however many come in between.
 */
#ifndef PROVIDERS_KERNEL_TOLDTHREADS_H
#define PROVIDERS_KERNEL_TOLDTHREADS_H

#include "dlang/kernelmem.h"

struct toldthreads;

/*
 * size: of the kernel's struct task_struct; 0: not known, and nobody is found. Its last part has a
 * length that depends on the processor: the next thread may begin before `size` is over, but not
 * before `least` is.
 */
struct toldthreads *toldthreads_new(uint64_t size, uint64_t least);
void toldthreads_free(struct toldthreads *); /* NULL too */
/* It lives at t->addr; who was told to live in that memory is forgotten. */
void toldthreads_add(struct toldthreads *, const struct kernthread *t);
/* The thread that has addr in its memory: of those that begin within `size` before it the nearest;
 * NULL: none. Valid until the next is added. */
const struct kernthread *toldthreads_find(const struct toldthreads *, uint64_t addr);

#endif
