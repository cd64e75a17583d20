#include "base/arena.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"

#define ALIGN	   16
#define BLOCK_SIZE ((size_t)64 << 10)
#define SHARED_MIN ((size_t)64 << 20)
#define FILL_FROM  ((size_t)2 << 20)
#define FILL_MOST  ((size_t)1 << 20)

/*
 * Where the shared arena is mapped when that place is free: above what non-PIE programs, Go
 * (0xc000000000), ASan's shadow (up to 0x10007fff8000) and its heap (0x600000000000) use and
 * below PIE (0x55...) and mmap (0x7f...) areas, so that an address of ours is hardly ever an
 * address of the target too.
 */
#define SHARED_HINT ((void *)0x2a0000000000)

struct arena_block {
	struct arena_block *older;
	char data[] __attribute__((aligned(ALIGN)));
};

void arena_init(struct arena *a)
{
	memset(a, 0, sizeof(*a));
}

void arena_release(struct arena *a)
{
	struct arena_block *b = a->blocks, *older;

	if (a->shared)
		munmap(a->base, (size_t)(a->end - a->base));
	for (; b; b = older) {
		older = b->older;
		free(b);
	}
	memset(a, 0, sizeof(*a));
}

void arena_return(struct arena *a, const struct arena *mark)
{
	char *used = a->blocks == mark->blocks ? a->next : mark->end;

	while (a->blocks != mark->blocks) {
		struct arena_block *b = a->blocks;

		a->blocks = b->older;
		free(b);
	}
	*a = *mark;
	if (used > a->next)
		memset(a->next, 0, (size_t)(used - a->next));
}

int arena_init_shared(struct arena *a, size_t size, struct err *err)
{
	void *p;

	for (;; size /= 2) {
		p = mmap(SHARED_HINT, size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p != MAP_FAILED)
			break;
		if (size / 2 < SHARED_MIN)
			return err_set(err, -errno, "cannot map %zu MiB of shared memory: %s",
				       size >> 20, strerror(errno));
	}
	madvise(p, size, MADV_DONTDUMP);
	memset(a, 0, sizeof(*a));
	a->base = a->next = p;
	a->end = a->base + size;
	a->shared = true;
	return 0;
}

static void arena_grow(struct arena *a, size_t n)
{
	size_t size = MAX(n, BLOCK_SIZE);
	struct arena_block *b = xcalloc(1, sizeof(*b) + size);

	b->older = a->blocks;
	a->blocks = b;
	a->base = a->next = b->data;
	a->end = b->data + size;
}

/*
 * A page fault of shared memory costs more than what is done in the page. An arena that has grown
 * large gets the next pages together, in steps of an eighth of what it has.
 */
static void fill_pages(struct arena *a)
{
	size_t used = (size_t)(a->next - a->base), step;

	if (used < FILL_FROM)
		return;
	step = MIN(ROUND_UP(used / 8, PAGE), FILL_MOST);
	a->filled = a->base + ROUND_UP(used, PAGE);
	step = MIN(step, (size_t)(a->end - a->filled));
	will_fill(a->filled, step);
	a->filled += step;
}

void *arena_try(struct arena *a, size_t n)
{
	char *p;

	n = ROUND_UP(n ? n : 1, ALIGN);
	if ((size_t)(a->end - a->next) < n) {
		if (a->shared)
			return NULL;
		arena_grow(a, n);
	}
	p = a->next;
	a->next += n;
	if (a->shared && a->next > a->filled)
		fill_pages(a);
	return p;
}

void *arena_alloc(struct arena *a, size_t n)
{
	void *p = arena_try(a, n);

	if (!p)
		die("the shared arena is full (%zu MiB); raise `ulimit -v`",
		    (size_t)(a->end - a->base) >> 20);
	return p;
}

void *arena_memdup(struct arena *a, const void *p, size_t n)
{
	void *copy = arena_alloc(a, n);

	return n ? memcpy(copy, p, n) : copy; /* of nothing, p may be NULL */
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *p = arena_alloc(a, len + 1);

	memcpy(p, s, len);
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_memdup(a, s, strlen(s) + 1);
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		die("internal error: bad format");
	p = arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}

bool arena_owns(const struct arena *a, const void *p)
{
	return (const char *)p >= a->base && (const char *)p < a->end;
}

void intern_init(struct intern *in, struct arena *a)
{
	memset(in, 0, sizeof(*in));
	in->arena = a;
}

void intern_release(struct intern *in)
{
	free(in->slots);
	memset(in, 0, sizeof(*in));
}

/* The slot that holds s, or the free one where it belongs. nslots is a power of two. */
static struct intern_slot *intern_slot(const struct intern *in, const char *s, uint64_t hash)
{
	size_t i = hash & (in->nslots - 1);

	while (in->slots[i].s && (in->slots[i].hash != hash || strcmp(in->slots[i].s, s) != 0))
		i = (i + 1) & (in->nslots - 1);
	return &in->slots[i];
}

/* For n strings at least. */
static void intern_grow(struct intern *in, size_t n)
{
	struct intern_slot *old = in->slots;
	size_t nold = in->nslots;

	in->nslots = nold ? nold * 2 : 256;
	while (in->nslots < n * 2)
		in->nslots *= 2;
	in->slots = xcalloc(in->nslots, sizeof(*in->slots));
	will_fill(in->slots, in->nslots * sizeof(*in->slots));
	for (size_t i = 0; i < nold; i++) {
		size_t at = old[i].hash & (in->nslots - 1);

		while (in->slots[at].s)
			at = (at + 1) & (in->nslots - 1);
		if (old[i].s)
			in->slots[at] = old[i];
	}
	free(old);
}

void intern_expect(struct intern *in, size_t n)
{
	if ((in->n + n) * 2 > in->nslots)
		intern_grow(in, in->n + n);
}

const char *intern_str(struct intern *in, const char *s)
{
	size_t len = strlen(s);
	uint64_t hash = hash_bytes(s, len);
	struct intern_slot *slot;

	if (in->n * 2 >= in->nslots)
		intern_grow(in, in->n);
	slot = intern_slot(in, s, hash);
	if (!slot->s) {
		*slot = (struct intern_slot){arena_memdup(in->arena, s, len + 1), hash};
		in->n++;
	}
	return slot->s;
}

const char *intern_find(const struct intern *in, const char *s)
{
	return in->nslots ? intern_slot(in, s, hash_bytes(s, strlen(s)))->s : NULL;
}
