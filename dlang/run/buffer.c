/*
 * buffer.c: the ring. head and tail count bytes since the beginning and never wrap; the place in
 * the ring is the count modulo the size, which is kept beside it. A record never crosses the end:
 * what is left there becomes one padding record (epid 0), or nothing when not even a head fits.
 */
#include "dlang/run/buffer.h"

#include <errno.h>
#include <stdatomic.h>

#define CACHE_LINE 64
#define LOOKS	   256 /* at how far the front is, while a buffer is filled once */

/*
 * Engine and front write to lines of their own, and keep what they have seen of each other's: they
 * look again where that says that there is no room, or no record. In a ring the engine does the
 * front's part, until tracing is over.
 */
struct buffer {
	uint64_t size; /* multiple of 8 */
	uint64_t limit, kept;
	bool is_ring;
	char *data;
	char apart[CACHE_LINE];
	struct {
		_Atomic uint64_t tail; /* everything below is visible */
		uint64_t at;	       /* the place of tail in the ring */
		uint64_t reserved, reserved_at, need, need_counted;
		uint64_t counted; /* of all records so far */
		uint64_t seen_head, seen_released;
		uint64_t look_at; /* the tail from which on that is looked at again */
	} in;
	char apart_too[CACHE_LINE];
	struct {
		_Atomic uint64_t head;	   /* everything below is consumed */
		_Atomic uint64_t released; /* of what is counted */
		uint64_t at;		   /* the place of head in the ring */
		uint64_t seen_tail;
	} out;
	char apart_again[CACHE_LINE];
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

/* Engine: what the front has taken by now. */
static void see_front(struct buffer *b)
{
	b->in.seen_head = atomic_load_explicit(&b->out.head, memory_order_acquire);
	b->in.seen_released = atomic_load_explicit(&b->out.released, memory_order_relaxed);
}

static bool is_fuller(const struct buffer *b, uint64_t parts)
{
	return (b->in.tail - b->in.seen_head) * parts > b->size ||
	       (b->in.counted - b->in.seen_released) * parts > b->limit;
}

bool buffer_is_fuller(struct buffer *b, unsigned parts)
{
	if (!is_fuller(b, parts))
		return false;
	see_front(b);
	return is_fuller(b, parts);
}

bool buffer_seems_fuller(struct buffer *b, unsigned parts)
{
	if (!is_fuller(b, parts) || b->in.tail < b->in.look_at)
		return is_fuller(b, parts);
	b->in.look_at = b->in.tail + b->size / LOOKS;
	return buffer_is_fuller(b, parts);
}

/* Where a reservation of `need` bytes would begin if it followed the last record. */
static void place(struct buffer *b, uint64_t need)
{
	uint64_t to_end = b->size - b->in.at;
	bool is_behind = to_end < need;

	b->in.reserved = b->in.tail + (is_behind ? to_end : 0);
	b->in.reserved_at = is_behind ? 0 : b->in.at;
}

static bool has_room(const struct buffer *b, uint64_t need, uint64_t counted)
{
	uint64_t used = b->in.reserved - b->in.seen_head;
	uint64_t held = b->in.counted - b->in.seen_released;

	return used + need <= b->size && held + counted + b->kept <= b->limit;
}

/* Makes what lies between the last record and the end a padding record. */
static void skip_to_end(struct buffer *b)
{
	uint64_t left = b->size - b->in.at;

	if (left >= sizeof(struct rec_head)) {
		struct rec_head *pad = (struct rec_head *)(void *)(b->data + b->in.at);

		pad->epid = 0;
		pad->size = (uint32_t)left;
	}
	b->in.at = 0;
	atomic_store_explicit(&b->in.tail, b->in.tail + left, memory_order_release);
}

/* In a ring the oldest make room. */
static bool find_room(struct buffer *b, uint64_t bytes, uint64_t counted)
{
	see_front(b);
	while (b->is_ring && !has_room(b, bytes, counted) && buffer_peek(b)) {
		buffer_release(b);
		see_front(b);
	}
	if (has_room(b, bytes, counted))
		return true;
	/* empty, and yet the rest up to the end is in the way: whoever takes records skips it */
	if (b->in.seen_head == b->in.tail && b->in.reserved != b->in.tail && bytes <= b->size) {
		skip_to_end(b);
		if (b->is_ring)
			buffer_peek(b);
		see_front(b);
	}
	return has_room(b, bytes, counted);
}

char *buffer_reserve_block(struct buffer *b, uint64_t bytes, uint64_t counted)
{
	place(b, bytes);
	if (!has_room(b, bytes, counted) && !find_room(b, bytes, counted))
		return NULL;
	b->in.need = bytes;
	b->in.need_counted = counted;
	return b->data + b->in.reserved_at;
}

char *buffer_reserve(struct buffer *b, uint32_t payload, uint32_t counted)
{
	char *rec = buffer_reserve_block(b, buffer_record_size(payload), counted);

	return rec ? rec + sizeof(struct rec_head) : NULL;
}

void buffer_commit_block(struct buffer *b)
{
	if (b->in.reserved != b->in.tail)
		skip_to_end(b);
	b->in.counted += b->in.need_counted;
	b->in.at += b->in.need;
	if (b->in.at == b->size)
		b->in.at = 0;
	atomic_store_explicit(&b->in.tail, b->in.reserved + b->in.need, memory_order_release);
}

struct rec_head *buffer_head(struct buffer *b)
{
	return (struct rec_head *)(void *)(b->data + b->in.reserved_at);
}

void buffer_commit(struct buffer *b)
{
	struct rec_head *rec = buffer_head(b);

	rec->size = (uint32_t)b->in.need;
	rec->counted = (uint32_t)b->in.need_counted;
	buffer_commit_block(b);
}

void buffer_cancel(struct buffer *b)
{
	b->in.reserved = b->in.tail;
}

/* Front: the bytes below head are free. */
static void advance(struct buffer *b, uint64_t n)
{
	uint64_t head = atomic_load_explicit(&b->out.head, memory_order_relaxed);

	b->out.at += n;
	if (b->out.at == b->size)
		b->out.at = 0;
	atomic_store_explicit(&b->out.head, head + n, memory_order_release);
}

static bool is_empty(struct buffer *b)
{
	uint64_t head = atomic_load_explicit(&b->out.head, memory_order_relaxed);

	if (head == b->out.seen_tail)
		b->out.seen_tail = atomic_load_explicit(&b->in.tail, memory_order_acquire);
	return head == b->out.seen_tail;
}

const struct rec_head *buffer_peek(struct buffer *b)
{
	while (!is_empty(b)) {
		const struct rec_head *rec = (void *)(b->data + b->out.at);
		uint64_t to_end = b->size - b->out.at;

		if (to_end >= sizeof(*rec) && rec->epid)
			return rec;
		advance(b, to_end);
	}
	return NULL;
}

void buffer_release(struct buffer *b)
{
	const struct rec_head *rec = buffer_peek(b);
	uint64_t released = atomic_load_explicit(&b->out.released, memory_order_relaxed);

	if (!rec)
		return;
	/* before the head: whoever sees the room sees what it counted */
	atomic_store_explicit(&b->out.released, released + rec->counted, memory_order_relaxed);
	advance(b, rec->size);
}
