#include "tracer/unwind/rowcache.h"

#include <errno.h>
#include <stdlib.h>

#define ROWS_MIN 1024U
#define ROWS_MAX 65536U /* 5 MB; a program that needs more starts again */

struct rowcache {
	struct row *v;
	unsigned size, n; /* size: a power of two */
	struct cfi_row **full;
	unsigned nfull, full_room;
};

struct rowcache *rowcache_new(void)
{
	struct rowcache *c = xcalloc(1, sizeof(*c));

	c->size = ROWS_MIN;
	c->v = xcalloc(c->size, sizeof(*c->v));
	return c;
}

void rowcache_clear(struct rowcache *c)
{
	for (unsigned i = 0; i < c->nfull; i++)
		free(c->full[i]);
	c->nfull = 0;
	c->n = 0;
	memset(c->v, 0, c->size * sizeof(*c->v));
}

void rowcache_free(struct rowcache *c)
{
	rowcache_clear(c);
	free(c->full);
	free(c->v);
	free(c);
}

/* Where pc is or would be. */
static struct row *place(const struct rowcache *c, taddr_t pc)
{
	unsigned i = (unsigned)(pc * 0x9e3779b97f4a7c15ULL >> 40) & (c->size - 1);

	while (c->v[i].how != ROW_EMPTY && c->v[i].pc != pc)
		i = (i + 1) & (c->size - 1);
	return &c->v[i];
}

static void grow(struct rowcache *c)
{
	struct row *old = c->v;
	unsigned n = c->size;

	c->size *= 2;
	c->v = xcalloc(c->size, sizeof(*c->v));
	for (unsigned i = 0; i < n; i++)
		if (old[i].how != ROW_EMPTY)
			*place(c, old[i].pc) = old[i];
	free(old);
}

static bool fits(int64_t off)
{
	return off >= INT32_MIN && off <= INT32_MAX;
}

static bool save(struct row *row, const struct cfi_rule *rule, uint8_t reg)
{
	if (row->nsaved == ROW_SAVED_MAX || !fits(rule->off))
		return false;
	row->reg[row->nsaved] = reg;
	row->off[row->nsaved++] = (int32_t)rule->off;
	return true;
}

/* What nearly every row is; false: this one is not. */
static bool make_plain(struct row *row, const struct cfi_row *from)
{
	if (from->cfa.how != CFI_REGISTER || !fits(from->cfa.off) ||
	    from->regs[CFI_RA].how != CFI_SAVED || from->regs[CFI_RSP].how != CFI_SAME)
		return false;
	row->how = ROW_PLAIN;
	row->cfa_reg = from->cfa.reg;
	row->cfa_off = (int32_t)from->cfa.off;
	save(row, &from->regs[CFI_RA], CFI_RA);
	for (unsigned i = 0; i < CFI_RA; i++) {
		if (from->regs[i].how == CFI_SAME || from->regs[i].how == CFI_UNDEFINED)
			continue;
		if (from->regs[i].how != CFI_SAVED || !save(row, &from->regs[i], (uint8_t)i))
			return false;
	}
	return true;
}

static void make_full(struct rowcache *c, struct row *row, const struct cfi_row *from)
{
	struct cfi_row *copy = xmalloc(sizeof(*copy));

	*copy = *from;
	if (c->nfull == c->full_room) {
		c->full_room = c->full_room ? c->full_room * 2 : 16;
		c->full = xrealloc(c->full, c->full_room * sizeof(struct cfi_row *));
	}
	c->full[c->nfull++] = copy;
	row->how = ROW_FULL;
	row->full = copy;
}

static void make_row(struct rowcache *c, struct row *row, const struct cfimod *m, taddr_t pc)
{
	struct cfi_row from;

	*row = (struct row){.pc = pc, .how = ROW_NONE};
	if (!m->has_cfi || cfi_row(&m->cfi, pc, &from))
		return;
	row->is_signal = from.is_signal;
	if (from.regs[CFI_RA].how == CFI_UNDEFINED || from.regs[CFI_RA].how == CFI_SAME) {
		row->how = ROW_END;
	} else if (!make_plain(row, &from)) {
		row->nsaved = 0;
		make_full(c, row, &from);
	}
}

const struct row *rowcache_get(struct rowcache *c, struct cfimap *map, taddr_t pc)
{
	struct row *row = place(c, pc);
	const struct cfimod *m;

	if (row->how != ROW_EMPTY)
		return row;
	m = cfimap_at(map, pc);
	if (!m)
		return NULL;
	if (c->n >= c->size / 4 * 3) {
		if (c->size < ROWS_MAX)
			grow(c);
		else
			rowcache_clear(c);
		row = place(c, pc);
	}
	c->n++;
	make_row(c, row, m, pc);
	return row;
}

void rowcache_learn(struct rowcache *c, const struct row *row)
{
	struct row *known = place(c, row->pc);

	if (known->how != ROW_EMPTY)
		*known = *row;
}
