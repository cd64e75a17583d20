/*
 * writezip.c: records as "perf record -z" writes them: one Zstandard stream through all records
 * PERF_RECORD_COMPRESSED, each of which unpacks to WRITE_ZIP_SIZE bytes at most; records of the
 * kernel begin and end anywhere in it.
 */
#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#include "providers/perfdata/perfdata.h"
#include "providers/perfwrite/perfwrite_priv.h"

struct write_zip {
	ZSTD_CCtx *packer;
	uint64_t nplain, npacked; /* bytes, of all */
	size_t len;
	uint32_t nsamples; /* among these bytes */
	char plain[WRITE_ZIP_SIZE];
};

/* Packed bytes of a record; it has a header before them. */
#define PACKED_MAX (UINT16_MAX - sizeof(struct perf_event_header))

int perfwrite_compress(struct perfwrite *w, int level, struct err *err)
{
	w->zip = xcalloc(1, sizeof(*w->zip));
	w->zip->packer = ZSTD_createCCtx();
	if (!w->zip->packer)
		return err_set(err, -ENOMEM, "no memory to compress %s", w->path);
	ZSTD_CCtx_setParameter(w->zip->packer, ZSTD_c_compressionLevel, level);
	w->zip_level = level;
	return 0;
}

void write_zip_free(struct perfwrite *w)
{
	if (w->zip)
		ZSTD_freeCCtx(w->zip->packer);
	free(w->zip);
	w->zip = NULL;
}

/* As many records as its packed bytes need; all of the input is in the last one. */
void write_zip_flush(struct perfwrite *w)
{
	struct write_zip *z = w->zip;
	ZSTD_inBuffer in = {z ? z->plain : NULL, z ? z->len : 0, 0};
	size_t left = 1;

	while (in.size && left) {
		union {
			struct perf_event_header h;
			char bytes[UINT16_MAX + 1];
		} r = {.h = {PERFDATA_COMPRESSED, 0, 0}};
		ZSTD_outBuffer out = {r.bytes + sizeof(r.h), PACKED_MAX, 0};

		left = ZSTD_compressStream2(z->packer, &out, &in, ZSTD_e_flush);
		if (ZSTD_isError(left)) {
			err_set(&w->why, -EIO, "%s", ZSTD_getErrorName(left));
			break;
		}
		r.h.size = (uint16_t)(sizeof(r.h) + out.pos);
		write_packed(w, &r, r.h.size, left ? 0 : z->nsamples);
		z->npacked += out.pos;
	}
	if (!z)
		return;
	z->nplain += z->len;
	z->len = z->nsamples = 0;
}

void write_zip_add(struct perfwrite *w, const struct perf_event_header *h)
{
	struct write_zip *z = w->zip;

	if (h->size > sizeof(z->plain) - z->len)
		write_zip_flush(w);
	memcpy(z->plain + z->len, h, h->size);
	z->len += h->size;
	z->nsamples += h->type == PERF_RECORD_SAMPLE;
}

uint32_t write_zip_ratio(const struct perfwrite *w)
{
	const struct write_zip *z = w->zip;

	return z->npacked ? (uint32_t)MAX(z->nplain / z->npacked, 1) : 1;
}

size_t write_zip_waiting(const struct perfwrite *w)
{
	return w->zip ? w->zip->len : 0;
}
