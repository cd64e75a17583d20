#include "providers/kernel/perfring.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define RECORD_MAX 65536 /* header.size is a u16 */

int perf_ring_init(struct perf_ring *r, int fd, unsigned npages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p = MAP_FAILED;

	for (; npages && p == MAP_FAILED; npages /= 2) {
		r->size = npages * page;
		r->mapped = r->size + page;
		p = mmap(NULL, r->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	if (p == MAP_FAILED)
		return -errno;
	r->page = p;
	r->data = (char *)p + page;
	r->head = r->tail = r->published = 0;
	r->copy = xmalloc(RECORD_MAX);
	return 0;
}

void perf_ring_release(struct perf_ring *r)
{
	if (r->page)
		munmap(r->page, r->mapped);
	free(r->copy);
	*r = (struct perf_ring){0};
}

/* The kernel's head and our tail share a line of the cache: it is written now and then only. */
static void publish(struct perf_ring *r)
{
	if (r->published == r->tail)
		return;
	r->published = r->tail;
	__atomic_store_n(&r->page->data_tail, r->tail, __ATOMIC_RELEASE);
}

void perf_ring_gather(struct perf_ring *r)
{
	publish(r);
	r->head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
}

const struct perf_event_header *perf_ring_record(struct perf_ring *r)
{
	uint64_t at = r->tail & (r->size - 1), first;
	const struct perf_event_header *h;

	if (r->tail >= r->head)
		return NULL;
	h = (const struct perf_event_header *)(r->data + at); /* 8-byte units: it is whole */
	if (h->size < sizeof(*h) || h->size > r->head - r->tail) {
		r->tail = r->head; /* never seen: the kernel wrote nonsense */
		return NULL;
	}
	first = r->size - at;
	if (h->size <= first)
		return h;
	memcpy(r->copy + first, r->data, h->size - first);
	return memcpy(r->copy, h, first);
}

static void copy_out(const struct perf_ring *r, uint64_t from, void *to, size_t n)
{
	uint64_t at = from & (r->size - 1), first = MIN(n, r->size - at);

	memcpy(to, r->data + at, first);
	memcpy((char *)to + first, r->data, n - first);
}

bool perf_ring_find(const struct perf_ring *r, uint32_t type,
		    bool (*fn)(void *arg, const struct perf_event_header *), void *arg)
{
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	union {
		struct perf_event_header h;
		uint64_t words[PERF_RING_PEEK / 8];
	} record;
	struct perf_event_header h;

	for (uint64_t at = r->tail; at + sizeof(h) <= head; at += h.size) {
		copy_out(r, at, &h, sizeof(h));
		if (h.size < sizeof(h) || h.size > head - at)
			return false;
		if (h.type != type || h.size > sizeof(record))
			continue;
		copy_out(r, at, &record, h.size);
		record.h = h; /* read once */
		if (fn(arg, &record.h))
			return true;
	}
	return false;
}

void perf_ring_skip(struct perf_ring *r, const struct perf_event_header *h)
{
	r->tail += h->size;
	if (r->tail - r->published >= r->size / 16)
		publish(r);
}
