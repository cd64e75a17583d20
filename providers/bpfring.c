#include "providers/bpfring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

int bpf_ring_init(struct bpf_ring *r, int map_fd, uint64_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p;

	*r = (struct bpf_ring){.size = size};
	p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	r->consumer = p;
	p = mmap(NULL, page + 2 * size, PROT_READ, MAP_SHARED, map_fd, (off_t)page);
	if (p == MAP_FAILED) {
		int e = errno;

		munmap(r->consumer, page);
		r->consumer = NULL;
		return -e;
	}
	r->producer = p;
	return 0;
}

void bpf_ring_release(struct bpf_ring *r)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!r->consumer)
		return;
	munmap(r->consumer, page);
	munmap(r->producer, page + 2 * r->size);
	*r = (struct bpf_ring){0};
}

void bpf_ring_gather(struct bpf_ring *r)
{
	r->end = __atomic_load_n((const uint64_t *)r->producer, __ATOMIC_ACQUIRE);
}

static void advance(struct bpf_ring *r, uint32_t len)
{
	r->at += ROUND_UP((uint64_t)len + BPF_RINGBUF_HDR_SZ, 8);
	__atomic_store_n(r->consumer, r->at, __ATOMIC_RELEASE);
}

const void *bpf_ring_record(struct bpf_ring *r, size_t *len)
{
	const char *data = r->producer + sysconf(_SC_PAGESIZE);

	while (r->at < r->end) {
		const char *record = data + (r->at & (r->size - 1));
		uint32_t word =
			__atomic_load_n((const uint32_t *)(const void *)record, __ATOMIC_ACQUIRE);

		if (word & BPF_RINGBUF_BUSY_BIT)
			return NULL;
		*len = word & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
		if (!(word & BPF_RINGBUF_DISCARD_BIT))
			return record + BPF_RINGBUF_HDR_SZ;
		advance(r, (uint32_t)*len);
	}
	return NULL;
}

void bpf_ring_skip(struct bpf_ring *r, size_t len)
{
	advance(r, (uint32_t)len);
}
