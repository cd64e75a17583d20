/*
 * buffer.c: the ring. head and tail count bytes since the beginning and never wrap; the place in
 * the ring is the count modulo the size. A record never crosses the end: what is left there becomes
 * one padding record (epid 0), or nothing when not even a head fits.
 */
#include "dlang/run/buffer.h"

#include <errno.h>
#include <stdatomic.h>

struct buffer {
	_Atomic uint64_t head; /* everything below is consumed: front; of a ring, engine */
	_Atomic uint64_t tail; /* engine: everything below is visible */
	uint64_t size;	       /* multiple of 8 */
	/* engine */
	uint64_t reserved, need; /* where the reservation begins, and its bytes */
	uint64_t need_counted;
	uint64_t limit, kept, counted; /* counted: of all records so far */
	_Atomic uint64_t released;     /* of which these are gone: as head */
	bool is_ring;
	char *data;
};

uint64_t buffer_record_size(uint32_t payload)
{
	return ROUND_UP((uint64_t)sizeof(struct rec_head) + payload, 8);
}

struct buffer *buffer_new(struct arena *a, uint64_t size, struct err *err)
{
	struct buffer *b = arena_try(a, sizeof(*b));

	if (b) {
		b->size = size / 8 * 8;
		b->limit = UINT64_MAX;
		b->data = arena_try(a, b->size);
	}
	if (!b || !b->data) {
		err_set(err, -ENOMEM, "no room for a buffer of %llu bytes",
			(unsigned long long)size);
		return NULL;
	}
	return b;
}

void buffer_limit(struct buffer *b, uint64_t counted)
{
	b->limit = counted;
}

void buffer_set_ring(struct buffer *b)
{
	b->is_ring = true;
}

void buffer_keep(struct buffer *b, uint64_t counted)
{
	b->kept = counted;
}

bool buffer_is_half_full(const struct buffer *b)
{
	return b->tail - b->head > b->size / 2 || b->counted - b->released > b->limit / 2;
}

/* Bytes from a place to the end of the ring. */
static uint64_t to_end(const struct buffer *b, uint64_t at)
{
	return b->size - at % b->size;
}

/* Where a reservation of `need` bytes would begin if it followed the last record. */
static uint64_t place_of(const struct buffer *b, uint64_t need)
{
	uint64_t tail = b->tail;

	return to_end(b, tail) < need ? tail + to_end(b, tail) : tail;
}

static bool has_room(const struct buffer *b, uint64_t at, uint64_t need, uint64_t counted)
{
	uint64_t used = at - atomic_load_explicit(&b->head, memory_order_acquire);
	uint64_t held = b->counted - atomic_load_explicit(&b->released, memory_order_relaxed);

	return used + need <= b->size && held + counted + b->kept <= b->limit;
}

/* Makes what lies below `at` a padding record. */
static void skip_to(struct buffer *b, uint64_t at)
{
	uint64_t tail = b->tail;

	if (at - tail >= sizeof(struct rec_head)) {
		struct rec_head *pad = (struct rec_head *)(void *)(b->data + tail % b->size);

		pad->epid = 0;
		pad->size = (uint32_t)(at - tail);
	}
	atomic_store_explicit(&b->tail, at, memory_order_release);
}

char *buffer_reserve_block(struct buffer *b, uint64_t bytes, uint64_t counted)
{
	uint64_t at = place_of(b, bytes);

	while (b->is_ring && !has_room(b, at, bytes, counted) && buffer_peek(b))
		buffer_release(b);
	/* empty, and yet the rest up to the end is in the way: whoever takes records skips it */
	if (!has_room(b, at, bytes, counted) && b->head == b->tail && bytes <= b->size) {
		skip_to(b, at);
		if (b->is_ring)
			buffer_peek(b);
	}
	if (!has_room(b, at, bytes, counted))
		return NULL;
	b->reserved = at;
	b->need = bytes;
	b->need_counted = counted;
	return b->data + at % b->size;
}

char *buffer_reserve(struct buffer *b, uint32_t payload, uint32_t counted)
{
	char *rec = buffer_reserve_block(b, buffer_record_size(payload), counted);

	return rec ? rec + sizeof(struct rec_head) : NULL;
}

void buffer_commit_block(struct buffer *b)
{
	uint64_t end = b->reserved + b->need;

	if (b->reserved != b->tail)
		skip_to(b, b->reserved);
	b->counted += b->need_counted;
	atomic_store_explicit(&b->tail, end, memory_order_release);
}

void buffer_commit(struct buffer *b, const struct rec_head *head)
{
	struct rec_head *rec = (struct rec_head *)(void *)(b->data + b->reserved % b->size);

	*rec = *head;
	rec->size = (uint32_t)b->need;
	rec->counted = (uint32_t)b->need_counted;
	buffer_commit_block(b);
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

	if (!rec)
		return;
	/* before the head: whoever sees the room sees what it counted */
	atomic_fetch_add_explicit(&b->released, rec->counted, memory_order_relaxed);
	atomic_fetch_add_explicit(&b->head, rec->size, memory_order_release);
}
