#include "tracer/journal/journalrows.h"

static struct journal_chunk *new_chunk(struct journal_store *st)
{
	struct journal_chunk *c = st->free;

	if (!c)
		return arena_try(st->arena, sizeof(*c));
	st->free = c->next;
	memset(c, 0, sizeof(*c));
	return c;
}

static void let_go(struct journal_store *st, struct journal_chunk *c)
{
	if (--c->refs)
		return;
	c->next = st->free;
	st->free = c;
}

/* The chunk of a row, to be changed by this one alone; NULL: there is no memory. */
static struct journal_chunk *own(struct journal_rows *rs, struct journal_store *st, uint32_t row)
{
	struct journal_chunk **at = &rs->chunks[row / JOURNAL_CHUNK], *from = *at, *c;

	if (from && from->refs == 1)
		return from;
	c = new_chunk(st);
	if (!c)
		return NULL;
	if (from)
		memcpy(c->rows, from->rows, sizeof(c->rows));
	c->refs = 1;
	__atomic_store_n(at, c, __ATOMIC_RELEASE);
	if (from)
		let_go(st, from);
	return c;
}

int32_t rows_add(struct journal_rows *rs, struct journal_store *st, const struct journal_row *row)
{
	struct journal_chunk *c;
	struct journal_row *r;
	uint32_t i = rs->hint;

	while (i < rs->high && rows_at(rs, i))
		i++;
	if (i == JOURNAL_ROWS || !(c = own(rs, st, i)))
		return -1;
	rs->hint = i + 1;
	r = &c->rows[i % JOURNAL_CHUNK];
	*r = (struct journal_row){.addr = row->addr};
	memcpy(r->orig, row->orig, sizeof(r->orig));
	memcpy(r->now, row->now, sizeof(r->now));
	__atomic_store_n(&r->len, row->len, __ATOMIC_RELEASE);
	if (i == rs->high)
		__atomic_store_n(&rs->high, i + 1, __ATOMIC_RELEASE);
	return (int32_t)i;
}

void rows_del(struct journal_rows *rs, struct journal_store *st, int32_t row)
{
	struct journal_chunk *c = own(rs, st, (uint32_t)row);

	if (!c)
		return;
	__atomic_store_n(&c->rows[(uint32_t)row % JOURNAL_CHUNK].len, 0, __ATOMIC_RELEASE);
	rs->hint = MIN(rs->hint, (uint32_t)row);
}

void rows_clear(struct journal_rows *rs, struct journal_store *st)
{
	uint32_t n = (rs->high + JOURNAL_CHUNK - 1) / JOURNAL_CHUNK;

	__atomic_store_n(&rs->high, 0, __ATOMIC_RELEASE);
	rs->hint = 0;
	for (uint32_t i = 0; i < n; i++) {
		let_go(st, rs->chunks[i]);
		rs->chunks[i] = NULL;
	}
}

void rows_share(struct journal_rows *to, const struct journal_rows *from)
{
	uint32_t n = (from->high + JOURNAL_CHUNK - 1) / JOURNAL_CHUNK;

	for (uint32_t i = 0; i < n; i++) {
		to->chunks[i] = from->chunks[i];
		to->chunks[i]->refs++;
	}
	to->hint = from->hint;
	__atomic_store_n(&to->high, from->high, __ATOMIC_RELEASE);
}
