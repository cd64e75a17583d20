/*
 * bpfring.h: the reading side of a BPF_MAP_TYPE_RINGBUF (Documentation/bpf/ringbuf.rst): a page for
 * our position, a page for the kernel's, and the data, mapped twice in a row so that no record is
 * torn. A record begins with its time. CPUs take their room one after the other, and the time a
 * little later, so that neighbours may change places: those that come next are kept in the order
 * of time.
 */
#ifndef PROVIDERS_KERNEL_BPFRING_H
#define PROVIDERS_KERNEL_BPFRING_H

#include <bpf/libbpf.h>

#include "base/err.h"
#include "dlang/session.h"
#include "providers/kernel/bpfrec.h"

#define BPF_RING_WINDOW 64 /* records that are put in order */

struct bpf_ring {
	uint64_t *consumer; /* where we are, for the kernel to see */
	char *producer;	    /* the kernel's page, and the data after it */
	uint64_t size;
	uint64_t at, end;   /* the first record that is still needed; what was gathered */
	uint64_t published; /* what the kernel knows of `at` */
	uint64_t scanned;   /* what is before it has been in the window */
	uint64_t passed;    /* what is written before it is not waited for */
	uint64_t kept;	    /* if any: the first of these */
	unsigned npassed;   /* so many have been given up */
	struct bpf_ring_place {
		uint64_t time_ns, at;
		size_t len;
	} window[2 * BPF_RING_WINDOW]; /* n of them, from `first` on, the oldest first */
	unsigned first, n, nskipped;
};

int bpf_ring_init(struct bpf_ring *, int map_fd, uint64_t size); /* negative errno */
void bpf_ring_release(struct bpf_ring *);
void bpf_ring_gather(struct bpf_ring *);
/* The oldest record, or NULL: none, or it is being written still. Discarded ones are skipped. */
const void *bpf_ring_record(struct bpf_ring *, size_t *len);
/* The one behind a record that bpf_ring_record() or this has returned, with that one's length in
 * *len; NULL as there. It stays in the ring. */
const void *bpf_ring_behind(const struct bpf_ring *, const void *record, size_t *len);
void bpf_ring_skip(struct bpf_ring *); /* that one */
/* A record is being written still, and nothing behind it can be read. */
bool bpf_ring_is_held(const struct bpf_ring *);
/* Nothing that has been gathered is waited for any more: what is still being written when its turn
 * comes is given up, and what is behind it read. The kernel gets no more room back: tracing ends.
 */
void bpf_ring_pass(struct bpf_ring *);

/* ---- records that come before what they are for: stacks, pieces of memory ---- */

/* The last few of each CPU, all of one size. */
struct bpf_kept { /* all 0: none yet */
	char *v;
	size_t size; /* of each */
	unsigned n, room;
};

/* A copy of the record; `size`, the same each time, is what it has room for. */
void bpf_kept_add(struct bpf_kept *, size_t size, const struct bpf_head *, size_t len);
/* The latest of the same time, thread and CPU as this one; NULL: there is none. Valid until the
 * next that is added. */
const void *bpf_kept_find(const struct bpf_kept *, const struct bpf_head *);
void bpf_kept_release(struct bpf_kept *);

/* ---- events that programs could not tell of: they are counted as lost ---- */

struct bpf_lost {
	uint64_t *of_cpus; /* what found no room so far; NULL: none has been counted */
};

/* What is new in the map `lost` is told. Returns how much has been lost there in all. */
uint64_t bpf_lost_room(struct bpf_lost *, struct session *, int map_fd);
/* How many events a program has missed, as the kernel does not run it within itself. */
uint64_t bpf_missed(int prog_fd);
/* All that are loaded of an object; but for locks that are waited for, which programs do. */
uint64_t bpf_missed_by_all(const struct bpf_object *);
/* So many more have been missed; 0: nothing is said. */
void bpf_tell_missed(struct session *, uint64_t n);
void bpf_lost_release(struct bpf_lost *);

#endif
