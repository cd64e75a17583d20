/*
 * journalrows.h: rows of the journal, as many as there are patched places: bytes that were replaced
 * in one process. They lie in the shared arena, in chunks, and a chunk is shared by all processes
 * whose rows there are the same: a child by fork begins with its parent's. Who changes a row of a
 * shared chunk gets a copy first, in which all rows keep their numbers.
 *
 * Whoever outlives the engine may read them at any moment: a chunk is whole before it is shown.
 */
#ifndef TRACER_JOURNAL_JOURNALROWS_H
#define TRACER_JOURNAL_JOURNALROWS_H

#include "base/arena.h"
#include "base/target.h"

#define JOURNAL_CHUNK  2048u /* rows */
#define JOURNAL_CHUNKS 4096u
#define JOURNAL_ROWS   (JOURNAL_CHUNK * JOURNAL_CHUNKS) /* of one process, at most */
#define JOURNAL_BYTES  5

struct journal_row {
	taddr_t addr;
	uint8_t len; /* 0: free */
	uint8_t orig[JOURNAL_BYTES], now[JOURNAL_BYTES];
};

struct journal_chunk {
	struct journal_chunk *next; /* that is free, too */
	uint32_t refs;
	struct journal_row rows[JOURNAL_CHUNK];
};

/* Where chunks come from, and go to. */
struct journal_store {
	struct arena *arena;
	struct journal_chunk *free;
};

struct journal_rows {
	uint32_t high; /* rows [0, high) may be in use */
	uint32_t hint; /* where the search for a free one begins */
	struct journal_chunk *chunks[JOURNAL_CHUNKS];
};

/* Returns the row's number, or -1: there is no room. */
int32_t rows_add(struct journal_rows *, struct journal_store *, const struct journal_row *);
/* Where there is no memory for a copy of what is shared, the row stays: what it says is looked at
 * before it is believed. */
void rows_del(struct journal_rows *, struct journal_store *, int32_t row);
void rows_clear(struct journal_rows *, struct journal_store *);
/* `to`, which is empty, has the rows of `from`, with their numbers. */
void rows_share(struct journal_rows *to, const struct journal_rows *from);

/* NULL: it is free. */
static inline const struct journal_row *rows_at(const struct journal_rows *rs, uint32_t i)
{
	const struct journal_row *r = &rs->chunks[i / JOURNAL_CHUNK]->rows[i % JOURNAL_CHUNK];

	return __atomic_load_n(&r->len, __ATOMIC_ACQUIRE) ? r : NULL;
}

#endif
