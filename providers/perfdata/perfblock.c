/*
 * perfblock.c: bytes of a file or pipe, in blocks, with records that are whole, aligned, and no
 * shorter than their header.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/endreq.h"
#include "base/pulse.h"
#include "providers/perfdata/perfdata_priv.h"

#define BLOCK_SIZE ((size_t)512 << 10)

void perfstream_init(struct perfstream *s, int fd, uint64_t start, uint64_t size, bool is_pipe)
{
	*s = (struct perfstream){
		.fd = fd, .is_pipe = is_pipe, .left = size, .start = start, .is_over = !size};
}

void perfstream_release(struct perfstream *s)
{
	if (s->block)
		perfblock_drop(s->block);
	s->block = NULL;
}

void perfstream_fail(struct perfstream *s, int code, const char *what, uint64_t offset)
{
	s->is_over = true;
	if (!s->why.code)
		err_set(&s->why, code, "%s at offset %llu", what, (unsigned long long)offset);
}

uint64_t perfblock_offset(const struct perfblock *b, const struct perf_event_header *h)
{
	return b->offset + (b->is_unpacked ? 0 : (uint64_t)((const char *)h - b->bytes));
}

void perfblock_drop(struct perfblock *b)
{
	if (--b->nholders == 0)
		free(b);
}

struct perfblock *perfblock_next(struct perfblock *old, size_t at, uint64_t offset)
{
	struct perfblock *b = xmalloc(sizeof(*b) + BLOCK_SIZE);

	*b = (struct perfblock){.nholders = 1, .room = BLOCK_SIZE, .offset = offset};
	if (old) {
		b->is_unpacked = old->is_unpacked;
		b->len = old->len - at;
		memcpy(b->bytes, old->bytes + at, b->len);
		old->len = at;
		perfblock_drop(old);
	}
	return b;
}

static void next_block(struct perfstream *s)
{
	s->block = perfblock_next(s->block, s->at, s->block ? s->block->offset + s->at : s->start);
	s->at = 0;
}

static ssize_t read_some(struct perfstream *s, char *to, size_t n)
{
	ssize_t got;

	n = MIN(n, s->left);
	if (!n)
		return 0;
	do {
		got = s->is_pipe ? read(s->fd, to, n)
				 : pread(s->fd, to, n, (off_t)(s->start + s->read));
	} while (got < 0 && errno == EINTR && !endreq_asked());
	pulse();
	if (got > 0) {
		s->read += (uint64_t)got;
		s->left -= (uint64_t)got;
	}
	return got;
}

/* Makes n bytes of one block follow. False: the end comes before. */
static bool want(struct perfstream *s, size_t n)
{
	while (!s->block || s->block->len - s->at < n) {
		size_t room;
		ssize_t got;

		if (!s->block || s->block->room - s->at < PERF_RECORD_MAX + sizeof(uint64_t))
			next_block(s);
		/* not much ahead of what must be moved after each record */
		room = s->block->room - s->block->len;
		got = read_some(s, s->block->bytes + s->block->len,
				s->is_ragged ? MIN(room, PERF_RECORD_MAX) : room);
		if (got < 0)
			perfstream_fail(s, -errno, strerror(errno), s->start + s->read);
		if (got <= 0)
			return false;
		s->block->len += (size_t)got;
	}
	return true;
}

const struct perf_event_header *perfstream_next(struct perfstream *s, struct perfblock **out)
{
	const struct perf_event_header *h;
	uint64_t offset;

	if (s->is_over)
		return NULL;
	if (s->at %
	    sizeof(uint64_t)) { /* features in a pipe, and what is compressed, have any size */
		s->is_ragged = true;
		next_block(s);
	}
	if (!want(s, sizeof(*h))) {
		if (s->block && s->block->len > s->at)
			perfstream_fail(s, -ENODATA, "it is cut off", s->start + s->read);
		s->is_over = true;
		return NULL;
	}
	h = (const void *)(s->block->bytes + s->at);
	offset = perfblock_offset(s->block, h);
	if (h->size < sizeof(*h) ||
	    (h->size % sizeof(uint64_t) && h->type < PERFDATA_HEADER_ATTR)) {
		perfstream_fail(s, -EBADMSG, "a record has an impossible size", offset);
		return NULL;
	}
	if (!want(s, h->size)) {
		perfstream_fail(s, -ENODATA, "it is cut off", s->start + s->read);
		return NULL;
	}
	h = (const void *)(s->block->bytes + s->at); /* it may have moved */
	s->at += h->size;
	*out = s->block;
	return h;
}

bool perfstream_take(struct perfstream *s, uint64_t n, char *to)
{
	while (n) {
		const size_t part = MIN(n, sizeof(uint64_t) * 4096);

		if (!want(s, part)) {
			perfstream_fail(s, -ENODATA, "it is cut off", s->start + s->read);
			return false;
		}
		if (to) {
			memcpy(to, s->block->bytes + s->at, part);
			to += part;
		}
		s->at += part;
		n -= part;
	}
	return true;
}
