/*
 * bpfring.h: the reading side of a BPF_MAP_TYPE_RINGBUF (Documentation/bpf/ringbuf.rst): a page for
 * our position, a page for the kernel's, and the data, mapped twice in a row so that no record is
 * torn.
 */
#ifndef PROVIDERS_BPFRING_H
#define PROVIDERS_BPFRING_H

#include "base/err.h"

struct bpf_ring {
	uint64_t *consumer; /* where we are, for the kernel to see */
	char *producer;	    /* the kernel's page, and the data after it */
	uint64_t size;
	uint64_t at, end;   /* the next record; what was gathered */
	uint64_t published; /* what the kernel knows of `at` */
};

int bpf_ring_init(struct bpf_ring *, int map_fd, uint64_t size); /* negative errno */
void bpf_ring_release(struct bpf_ring *);
void bpf_ring_gather(struct bpf_ring *);
/* The oldest record, or NULL: none, or it is being written still. Discarded ones are skipped. */
const void *bpf_ring_record(struct bpf_ring *, size_t *len);
/* The one behind a record that bpf_ring_record() or this has returned, with that one's length in
 * *len; NULL as there. It stays in the ring. */
const void *bpf_ring_behind(const struct bpf_ring *, const void *record, size_t *len);
void bpf_ring_skip(struct bpf_ring *, size_t len);

#endif
