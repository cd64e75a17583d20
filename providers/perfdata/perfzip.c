/*
 * perfzip.c: what "perf record -z" has compressed: one Zstandard stream through all of its records,
 * unpacked a block at a time, so that a small record cannot ask for much memory.
 */
#include <errno.h>
#include <zstd.h>

#include "providers/perfdata/perfdata_priv.h"

void perfzip_release(struct perfzip *z)
{
	ZSTD_freeDStream(z->decoder);
	if (z->source)
		perfblock_drop(z->source);
	if (z->block)
		perfblock_drop(z->block);
	*z = (struct perfzip){0};
}

int perfzip_take(struct perfzip *z, const struct perf_event_header *h, struct perfblock *b,
		 const char **what)
{
	const size_t room = h->size - sizeof(*h);
	uint64_t size = room;

	*what = "a compressed record within another";
	if (b->is_unpacked)
		return -EBADMSG;
	z->next = (const char *)(h + 1);
	if (h->type == PERFDATA_COMPRESSED2) { /* its size, since it is padded */
		*what = "a compressed record has an impossible size";
		if (room < sizeof(size))
			return -EBADMSG;
		memcpy(&size, z->next, sizeof(size));
		if (size > room - sizeof(size))
			return -EBADMSG;
		z->next += sizeof(size);
	}
	if (!z->decoder)
		z->decoder = ZSTD_createDStream(); /* with a window of 128 MiB at most */
	*what = "no memory to unpack a compressed record";
	if (!z->decoder)
		return -ENOMEM;
	z->left = size;
	z->offset = perfblock_offset(b, h);
	z->source = b;
	perfblock_hold(b);
	return 0;
}

/* Unpacks as much as there is room for; all that was held back came out before. */
static int unpack(struct perfzip *z, const char **what)
{
	ZSTD_inBuffer in = {z->next, z->left, 0};
	ZSTD_outBuffer out = {0};
	size_t rc;

	if (!z->block || z->block->room - z->at < PERF_RECORD_MAX + sizeof(uint64_t)) {
		z->block = perfblock_next(z->block, z->at, z->offset);
		z->block->is_unpacked = true;
		z->at = 0;
	}
	out = (ZSTD_outBuffer){z->block->bytes, z->block->room, z->block->len};
	rc = ZSTD_decompressStream(z->decoder, &out, &in);
	if (ZSTD_isError(rc)) {
		*what = ZSTD_getErrorName(rc);
		return -EBADMSG;
	}
	z->has_more = out.pos == out.size;
	z->block->len = out.pos;
	z->next += in.pos;
	z->left -= in.pos;
	if (z->left || z->has_more)
		return 0;
	perfblock_drop(z->source);
	z->source = NULL;
	return 0;
}

/* A whole record at the beginning of what has been unpacked; NULL: not yet. */
static const struct perf_event_header *whole(struct perfzip *z, int *code, const char **what)
{
	const size_t have = z->block ? z->block->len - z->at : 0;
	const struct perf_event_header *h;

	if (have < sizeof(*h))
		return NULL;
	h = (const void *)(z->block->bytes + z->at);
	*what = "a compressed record holds one with an impossible size";
	if (h->size < sizeof(*h) || h->size % sizeof(uint64_t)) {
		*code = -EBADMSG;
		return NULL;
	}
	*what = "a compressed record holds one that goes on behind its end";
	if (h->type == PERFDATA_TRACING_DATA || h->type == PERFDATA_AUXTRACE) {
		*code = -EBADMSG;
		return NULL;
	}
	return have < h->size ? NULL : h;
}

const struct perf_event_header *perfzip_next(struct perfzip *z, struct perfblock **out, int *code,
					     const char **what)
{
	const struct perf_event_header *h;

	for (;;) {
		h = whole(z, code, what);
		if (*code < 0)
			return NULL;
		if (h)
			break;
		if (!z->source)
			return NULL;
		*code = unpack(z, what);
		if (*code < 0)
			return NULL;
	}
	z->at += h->size;
	*out = z->block;
	return h;
}

bool perfzip_is_cut(const struct perfzip *z)
{
	return z->block && z->at < z->block->len;
}
