/*
 * perfring.h: the ring of one CPU, as the kernel fills it (man perf_event_open, "MMAP layout"). The
 * kernel does not write over what has not been released, so a record is read where it lies; one
 * that goes around the end is copied first.
 */
#ifndef PROVIDERS_KERNEL_PERFRING_H
#define PROVIDERS_KERNEL_PERFRING_H

#include <linux/perf_event.h>

#include "base/err.h"

struct perf_ring {
	struct perf_event_mmap_page *page;
	char *data;
	uint64_t size; /* a power of two */
	size_t mapped;
	uint64_t head, tail; /* what has been gathered and not been released */
	uint64_t published;  /* what the kernel knows of `tail` */
	char *copy;	     /* room for one record */
};

/* Maps the ring of an event, of 2^n pages up to npages, as many as the kernel allows. Errors:
 * -errno, with no sentence. */
int perf_ring_init(struct perf_ring *, int fd, unsigned npages);
void perf_ring_release(struct perf_ring *);
/* Takes in what has been written by now. */
void perf_ring_gather(struct perf_ring *);
/* The oldest record that was gathered, or NULL. It stays until perf_ring_skip; the kernel gets its
 * room back at the next gather, or when a sixteenth of the ring is free. */
const struct perf_event_header *perf_ring_record(struct perf_ring *);
void perf_ring_skip(struct perf_ring *, const struct perf_event_header *);
/*
 * Looks ahead at what has been written by now and not been skipped: fn gets each record of the
 * type, oldest first, of at most PERF_RING_PEEK bytes, until it says that it has found what it
 * wants. Nothing is taken. False: nothing was found.
 */
#define PERF_RING_PEEK 256
bool perf_ring_find(const struct perf_ring *, uint32_t type,
		    bool (*fn)(void *arg, const struct perf_event_header *), void *arg);

#endif
