/*
 * buffer.c: the ring. head and tail count bytes since the beginning and never wrap; the place in
 * the ring is the count modulo the size. A record never crosses the end: what is left there becomes
 * one padding record (epid 0), or nothing when not even a head fits.
 */
#include "dlang/buffer.h"

#include <errno.h>
#include <stdatomic.h>

struct buffer {
	_Atomic uint64_t head; /* front: everything below is consumed */
	_Atomic uint64_t tail; /* engine: everything below is visible */
	uint64_t size;	       /* multiple of 8 */
	uint64_t reserved;     /* engine: where the reserved record begins; its payload size */
	uint32_t payload;
	char *data;
};

#define REC_SIZE(payload) ROUND_UP((uint64_t)sizeof(struct rec_head) + (payload), 8)

struct buffer *buffer_new(struct arena *a, uint64_t size, struct err *err)
{
	struct buffer *b = arena_try(a, sizeof(*b));

	if (b) {
		b->size = size / 8 * 8;
		b->data = arena_try(a, b->size);
	}
	if (!b || !b->data) {
		err_set(err, -ENOMEM, "no room for a buffer of %llu bytes",
			(unsigned long long)size);
		return NULL;
	}
	return b;
}

bool buffer_fits(const struct buffer *b, uint32_t payload)
{
	return REC_SIZE(payload) <= b->size;
}

bool buffer_is_half_full(const struct buffer *b)
{
	return b->tail - b->head > b->size / 2;
}

/* Bytes from a place to the end of the ring. */
static uint64_t to_end(const struct buffer *b, uint64_t at)
{
	return b->size - at % b->size;
}

char *buffer_reserve(struct buffer *b, uint32_t payload)
{
	uint64_t tail = atomic_load_explicit(&b->tail, memory_order_relaxed);
	uint64_t free_bytes =
		b->size - (tail - atomic_load_explicit(&b->head, memory_order_acquire));
	uint64_t need = REC_SIZE(payload), at = tail;

	if (to_end(b, at) < need)
		at += to_end(b, at);
	if (at - tail + need > free_bytes)
		return NULL;
	b->reserved = at;
	b->payload = payload;
	return b->data + at % b->size + sizeof(struct rec_head);
}

void buffer_commit(struct buffer *b, const struct rec_head *head)
{
	uint64_t tail = atomic_load_explicit(&b->tail, memory_order_relaxed);
	struct rec_head *rec = (struct rec_head *)(void *)(b->data + b->reserved % b->size);

	if (b->reserved - tail >= sizeof(*rec)) {
		struct rec_head *pad = (struct rec_head *)(void *)(b->data + tail % b->size);

		pad->epid = 0;
		pad->size = (uint32_t)(b->reserved - tail);
	}
	*rec = *head;
	rec->size = (uint32_t)REC_SIZE(b->payload);
	atomic_store_explicit(&b->tail, b->reserved + rec->size, memory_order_release);
}

void buffer_cancel(struct buffer *b)
{
	b->reserved = b->tail;
}

const struct rec_head *buffer_peek(struct buffer *b)
{
	uint64_t head = atomic_load_explicit(&b->head, memory_order_relaxed);

	while (head != atomic_load_explicit(&b->tail, memory_order_acquire)) {
		const struct rec_head *rec = (void *)(b->data + head % b->size);

		if (to_end(b, head) >= sizeof(*rec) && rec->epid)
			return rec;
		head += to_end(b, head);
		atomic_store_explicit(&b->head, head, memory_order_release);
	}
	return NULL;
}

void buffer_release(struct buffer *b)
{
	const struct rec_head *rec = buffer_peek(b);

	if (rec)
		atomic_fetch_add_explicit(&b->head, rec->size, memory_order_release);
}
