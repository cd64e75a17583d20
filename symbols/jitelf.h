/*
 * jitelf.h: the functions in an ELF image that a runtime has made for debuggers. Such images have
 * no program headers, and often are relocatable objects whose sections say where they were put.
 * Nothing in them is trusted.
 */
#ifndef SYMBOLS_JITELF_H
#define SYMBOLS_JITELF_H

#include "base/base.h"

typedef void jitelf_fn(void *arg, taddr_t addr, uint64_t size, const char *name);

/* Calls fn for each function in the image of n bytes; returns how many there are. */
unsigned jitelf_each(const void *image, size_t n, jitelf_fn *, void *arg);

#endif
