/*
 * io_tracepoints.h: requests of block devices where no program may be loaded into the kernel: from
 * the tracepoints of the block layer, which perf reads. They know places on a disk, and no files.
 */
#ifndef PROVIDERS_SYSTEM_IO_TRACEPOINTS_H
#define PROVIDERS_SYSTEM_IO_TRACEPOINTS_H

#include "providers/system/blockdev.h"
#include "providers/kernel/bpfrec.h"
#include "providers/kernel/perf.h"

struct io_tracepoints;

/* A request as a BPF program would have told of it, but for its file, in the name of ev's thread.
 */
typedef void io_tracepoints_fn(void *arg, const struct bpf_io *, struct event *ev);

/* The names of devices stay the caller's. */
struct io_tracepoints *io_tracepoints_new(struct world *, struct perf *, struct blockdevs *,
					  io_tracepoints_fn *, void *arg);

/* Listens for what a row needs, for clauses that read `needs`. Errors: -ENOENT without a sentence
 * where no tracepoint tells of it; of opening. */
int io_tracepoints_add(struct io_tracepoints *, enum bpf_io_row, unsigned needs, struct err *);

void io_tracepoints_free(struct io_tracepoints *); /* perf calls it no more */

#endif
