#include "providers/kernel/bpfring.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dlang/run/gaps.h"

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

/* Of a record: its length and the kernel's bits. */
static uint32_t word_at(const struct bpf_ring *r, uint64_t at)
{
	const char *record = data_of(r) + (at & (r->size - 1));

	return __atomic_load_n((const uint32_t *)(const void *)record, __ATOMIC_ACQUIRE);
}

/* The first record from `*at` on that is whole and was not discarded; *at is moved to it, or to one
 * that is being written. */
static const void *find_record(const struct bpf_ring *r, uint64_t *at, size_t *len)
{
	while (*at < r->end) {
		uint32_t word = word_at(r, *at);

		if (word & BPF_RINGBUF_BUSY_BIT)
			return NULL;
		*len = word & ~BPF_RINGBUF_DISCARD_BIT;
		if (!(word & BPF_RINGBUF_DISCARD_BIT))
			return data_of(r) + (*at & (r->size - 1)) + BPF_RINGBUF_HDR_SZ;
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

/* The one that is being written: its length has been there as long as it has. */
static void give_up(struct bpf_ring *r)
{
	if (!r->npassed++)
		r->kept = r->scanned;
	r->scanned +=
		span(word_at(r, r->scanned) & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT));
}

static void fill_window(struct bpf_ring *r)
{
	while (r->n < BPF_RING_WINDOW) {
		uint64_t at = r->scanned, time_ns = 0;
		size_t len;
		const void *record = find_record(r, &at, &len);

		r->scanned = at;
		if (!record && at < r->passed) {
			give_up(r);
			continue;
		}
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

	r->at = r->npassed ? MIN(r->scanned, r->kept) : r->scanned;
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

void bpf_ring_pass(struct bpf_ring *r)
{
	r->passed = r->end;
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

/* ---- events that programs could not tell of ---- */

/* Of each CPU. Caller frees. */
static uint64_t *lost_records(int map_fd, int *ncpus)
{
	const uint32_t zero = 0;
	uint64_t *n;

	*ncpus = libbpf_num_possible_cpus();
	n = xcalloc((size_t)*ncpus + 1, sizeof(*n));
	bpf_map_lookup_elem(map_fd, &zero, n);
	return n;
}

uint64_t bpf_lost_room(struct bpf_lost *l, struct session *s, int map_fd)
{
	uint64_t sum = 0, *n;
	int ncpus;

	n = lost_records(map_fd, &ncpus);
	for (int i = 0; i < ncpus; i++) {
		uint64_t before = l->of_cpus ? l->of_cpus[i] : 0;

		sum += n[i];
		if (n[i] > before)
			session_lose_events(s, (unsigned)i, n[i] - before);
	}
	free(l->of_cpus);
	l->of_cpus = n;
	return sum;
}

uint64_t bpf_missed(int prog_fd)
{
	struct bpf_prog_info info = {0};
	uint32_t size = sizeof(info);

	return bpf_obj_get_info_by_fd(prog_fd, &info, &size) == 0 ? info.recursion_misses : 0;
}

uint64_t bpf_missed_by_all(const struct bpf_object *o)
{
	struct bpf_program *prog;
	uint64_t sum = 0;

	bpf_object__for_each_program (prog, o)
		if (bpf_program__fd(prog) >= 0 &&
		    !strstr(bpf_program__section_name(prog), "/contention_"))
			sum += bpf_missed(bpf_program__fd(prog));
	return sum;
}

void bpf_tell_missed(struct session *s, uint64_t n)
{
	if (!n)
		return;
	session_lose_events(s, 0, n);
	session_message(s, MSG_ERR, true,
			"%llu of the drops are events that came while their own program was at "
			"work on that CPU: larger buffers do not help",
			(unsigned long long)n);
}

void bpf_lost_release(struct bpf_lost *l)
{
	free(l->of_cpus);
	*l = (struct bpf_lost){0};
}
