/*
 * jitdump.h: records of a jitdump file (jit-PID.dump), which runtimes write for perf in place of,
 * or besides, a perf map: header, then records of an id, a size and a time each.
 */
#ifndef SYMBOLS_JITDUMP_H
#define SYMBOLS_JITDUMP_H

#include "base/base.h"

/* name NULL: what was at `old` is now at addr. */
typedef void jitdump_fn(void *arg, taddr_t addr, uint64_t size, const char *name, taddr_t old);

/* The size of the file's header, or 0: it is no jitdump for x86-64. */
size_t jitdump_header(const void *p, size_t n);

/*
 * Calls fn for each record in n bytes that tells of code. Returns the bytes of whole records; *need
 * is what the next one takes, 0 when that is not known yet, SIZE_MAX when it is damaged.
 */
size_t jitdump_records(const void *p, size_t n, jitdump_fn *, void *arg, size_t *need);

#endif
