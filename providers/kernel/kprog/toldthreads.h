/*
 * toldthreads.h: threads that clauses were told of, by the kernel's memory they live in: an address
 * may be kept in a variable until another thread lives there, however many come in between.
 */
#ifndef PROVIDERS_KERNEL_TOLDTHREADS_H
#define PROVIDERS_KERNEL_TOLDTHREADS_H

#include "dlang/kernelmem.h"

struct toldthreads;

/* size: of the kernel's struct task_struct; 0: not known, and nobody is found. */
struct toldthreads *toldthreads_new(uint64_t size);
void toldthreads_free(struct toldthreads *); /* NULL too */
/* It lives at t->addr; who was told to live in any part of that memory is forgotten. */
void toldthreads_add(struct toldthreads *, const struct kernthread *t);
/* The last that was told to have addr in its memory; NULL: none. Valid until the next is added. */
const struct kernthread *toldthreads_find(const struct toldthreads *, uint64_t addr);

#endif
