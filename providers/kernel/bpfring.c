#include "providers/kernel/bpfring.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
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

static struct bpf_ring_place *window(struct bpf_ring *r)
{
	return r->window + r->first;
}

/* Nearly always to the end: CPUs differ by little. */
static void insert(struct bpf_ring *r, uint64_t at, uint64_t time_ns, size_t len)
{
	struct bpf_ring_place *w;
	unsigned i;

	if (r->first + r->n == ARRAY_SIZE(r->window)) {
		memmove(r->window, window(r), r->n * sizeof(*r->window));
		r->first = 0;
	}
	w = window(r);
	for (i = r->n++; i > 0 && w[i - 1].time_ns > time_ns; i--)
		w[i] = w[i - 1];
	w[i] = (struct bpf_ring_place){time_ns, at, len};
}

static void fill_window(struct bpf_ring *r)
{
	while (r->n < BPF_RING_WINDOW) {
		uint64_t at = r->scanned, time_ns = 0;
		size_t len;
		const void *record = find_record(r, &at, &len);

		r->scanned = at;
		if (!record)
			return;
		memcpy(&time_ns, record, MIN(len, sizeof(time_ns)));
		insert(r, at, time_ns, len);
		r->scanned += span(len);
	}
}

/* Up to the first record that waits. */
static void advance(struct bpf_ring *r)
{
	const struct bpf_ring_place *w = window(r);

	r->at = r->scanned;
	for (unsigned i = 0; i < r->n; i++)
		r->at = MIN(r->at, w[i].at);
	if (r->at - r->published >= r->size / 16)
		publish(r);
}

const void *bpf_ring_record(struct bpf_ring *r, size_t *len)
{
	fill_window(r);
	if (!r->n)
		return NULL;
	*len = window(r)->len;
	return data_of(r) + (window(r)->at & (r->size - 1)) + BPF_RINGBUF_HDR_SZ;
}

bool bpf_ring_is_held(const struct bpf_ring *r)
{
	return r->scanned < r->end && r->n < BPF_RING_WINDOW;
}

const void *bpf_ring_behind(const struct bpf_ring *r, const void *record, size_t *len)
{
	uint64_t offset = (uint64_t)((const char *)record - data_of(r)) - BPF_RINGBUF_HDR_SZ;
	uint64_t at = r->at + ((offset - r->at) & (r->size - 1)) + span(*len);

	return find_record(r, &at, len);
}

void bpf_ring_skip(struct bpf_ring *r)
{
	r->first++;
	r->n--;
	if (!r->n || ++r->nskipped % BPF_RING_WINDOW == 0)
		advance(r);
}

/* ---- kept ---- */

/* Programs of one CPU may interrupt each other: so many records may lie between one and what it is
 * for. */
#define OF_EACH_CPU 8

void bpf_kept_add(struct bpf_kept *k, size_t size, const struct bpf_head *h, size_t len)
{
	if (!k->v) {
		k->size = size;
		k->room = OF_EACH_CPU * (unsigned)libbpf_num_possible_cpus();
		k->v = xcalloc(k->room, size);
	}
	memcpy(k->v + k->n++ % k->room * size, h, MIN(len, size));
}

const void *bpf_kept_find(const struct bpf_kept *k, const struct bpf_head *h)
{
	const unsigned n = MIN(k->n, k->room);

	for (unsigned i = 1; i <= n; i++) {
		const struct bpf_head *of = (const void *)(k->v + (k->n - i) % k->room * k->size);

		if (of->time_ns == h->time_ns && of->tid == h->tid && of->cpu == h->cpu)
			return of;
	}
	return NULL;
}

void bpf_kept_release(struct bpf_kept *k)
{
	free(k->v);
	*k = (struct bpf_kept){0};
}
