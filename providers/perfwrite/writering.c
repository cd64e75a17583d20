/*
 * writering.c: samples that are kept in memory until the end, of which only the last ones are
 * written. Pieces of memory go as a whole, the oldest first, when nothing in them is wanted any
 * more, or when there are too many.
 */
#include <stdlib.h>

#include "providers/perfdata/perfdata.h"
#include "providers/perfwrite/perfwrite_priv.h"

#define PIECE_SIZE (256U << 10)

struct write_piece {
	struct write_piece *next;
	uint64_t newest_ns, nrecords;
	size_t len;
	char bytes[PIECE_SIZE] __attribute__((aligned(8)));
};

static void drop_oldest(struct perfwrite *w)
{
	struct write_piece *p = w->ring.oldest;

	w->ring.oldest = p->next;
	if (!p->next)
		w->ring.newest = NULL;
	w->ring.size -= sizeof(*p);
	free(p);
}

static struct write_piece *add_piece(struct perfwrite *w)
{
	struct write_piece *p = xmalloc(sizeof(*p)), *last = w->ring.newest;

	p->next = NULL;
	p->newest_ns = p->nrecords = p->len = 0;
	*(last ? &last->next : &w->ring.oldest) = p;
	w->ring.newest = p;
	w->ring.size += sizeof(*p);
	return p;
}

void write_ring_add(struct perfwrite *w, const struct perf_event_header *h, uint64_t id,
		    uint64_t time_ns)
{
	struct write_piece *p = w->ring.newest;

	if (!p || p->len + h->size > sizeof(p->bytes))
		p = add_piece(w);
	memcpy(p->bytes + p->len, h, h->size);
	if (id)
		memcpy(p->bytes + p->len + sizeof(*h), &id, sizeof(id));
	p->len += h->size;
	p->nrecords++;
	p->newest_ns = MAX(p->newest_ns, time_ns);
	while (w->ring.oldest != w->ring.newest &&
	       w->ring.oldest->newest_ns + w->ring_ns < p->newest_ns)
		drop_oldest(w);
	while (w->ring.oldest != w->ring.newest && w->ring.size > w->max) {
		w->nleft_out += w->ring.oldest->nrecords;
		drop_oldest(w);
	}
}

void write_ring_write(struct perfwrite *w, uint64_t now_ns)
{
	for (struct write_piece *p = w->ring.oldest; p; p = p->next)
		for (size_t at = 0; at < p->len;) {
			const struct perf_event_header *h = (const void *)(p->bytes + at);

			if (write_time_of(h) + w->ring_ns >= now_ns)
				write_sample(w, h);
			at += h->size;
		}
}

void write_ring_free(struct perfwrite *w)
{
	while (w->ring.oldest)
		drop_oldest(w);
}
