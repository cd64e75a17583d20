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

/* What a record takes, with its header. */
static uint64_t span(size_t len)
{
	return ROUND_UP((uint64_t)len + BPF_RINGBUF_HDR_SZ, 8);
}

static const char *data_of(const struct bpf_ring *r)
{
	return r->producer + sysconf(_SC_PAGESIZE);
}

/* The first record from `*at` on that is whole and was not discarded; *at is moved to it. */
static const void *find_record(const struct bpf_ring *r, uint64_t *at, size_t *len)
{
	while (*at < r->end) {
		const char *record = data_of(r) + (*at & (r->size - 1));
		uint32_t word =
			__atomic_load_n((const uint32_t *)(const void *)record, __ATOMIC_ACQUIRE);

		if (word & BPF_RINGBUF_BUSY_BIT)
			return NULL;
		*len = word & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
		if (!(word & BPF_RINGBUF_DISCARD_BIT))
			return record + BPF_RINGBUF_HDR_SZ;
		*at += span(*len);
	}
	return NULL;
}

/* The kernel looks at our position at each record: it is written now and then only. */
static void publish(struct bpf_ring *r)
{
	if (r->published == r->at)
		return;
	r->published = r->at;
	__atomic_store_n(r->consumer, r->at, __ATOMIC_RELEASE);
}

void bpf_ring_gather(struct bpf_ring *r)
{
	publish(r);
	r->end = __atomic_load_n((const uint64_t *)r->producer, __ATOMIC_ACQUIRE);
}

static void advance(struct bpf_ring *r, uint64_t at)
{
	r->at = at;
	if (r->at - r->published >= r->size / 16)
		publish(r);
}

const void *bpf_ring_record(struct bpf_ring *r, size_t *len)
{
	uint64_t at = r->at;
	const void *record = find_record(r, &at, len);

	if (at != r->at)
		advance(r, at);
	return record;
}

const void *bpf_ring_behind(const struct bpf_ring *r, const void *record, size_t *len)
{
	uint64_t offset = (uint64_t)((const char *)record - data_of(r)) - BPF_RINGBUF_HDR_SZ;
	uint64_t at = r->at + ((offset - r->at) & (r->size - 1)) + span(*len);

	return find_record(r, &at, len);
}

void bpf_ring_skip(struct bpf_ring *r, size_t len)
{
	advance(r, r->at + span(len));
}
