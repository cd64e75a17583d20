#include "inject/x86/island.h"

#include <stdlib.h>

#include "inject/x86/retplan.h"

#define NEIGHBOURS 4 /* functions before and behind, where padding is looked for */
#define REACH	   128

static bool reaches(taddr_t window, taddr_t island)
{
	int64_t distance = (int64_t)(island - (window + SHORT_JUMP_LEN));

	return distance >= -REACH && distance < REACH;
}

unsigned plan_add_window(struct plan *p, const struct window *w)
{
	unsigned at = p->nwindows++;

	if (at == p->room) {
		p->room = p->room ? 2 * p->room : 4;
		p->windows = xrealloc(p->windows, p->room * sizeof(*p->windows));
	}
	for (; at && p->windows[at - 1].off > w->off; at--)
		p->windows[at] = p->windows[at - 1];
	p->windows[at] = *w;
	return at;
}

/* ---- padding ---- */

static bool is_free(const struct codescan *c, taddr_t at)
{
	for (unsigned i = 0; i < JUMP_LEN; i++)
		if (codescan_is_target(c, at + i) || codescan_is_taken(c, at + i))
			return false;
	return true;
}

/* A place for a long jump in the padding behind function k. */
static taddr_t island_behind(const struct codescan *c, unsigned k, taddr_t window)
{
	taddr_t start = c->funcs[k].reach, end = c->o->funcs[k + 1].addr;
	uint8_t code[256];
	size_t n, size = 0;
	unsigned len;

	if (c->funcs[k].open || end <= start)
		return 0;
	n = objfile_bytes(c->o, start, code, MIN(sizeof(code), end - start));
	while (size < n && (len = padding_len(code + size, n - size)) != 0)
		size += len;
	for (taddr_t at = start; at + JUMP_LEN <= start + size; at++)
		if (reaches(window, at) && is_free(c, at))
			return at;
	return 0;
}

/* In the padding near function i, within reach of a short jump at `window`. 0: there is none. */
static taddr_t in_padding(const struct codescan *c, unsigned i, taddr_t window)
{
	unsigned first = i > NEIGHBOURS ? i - NEIGHBOURS : 0;
	taddr_t at = 0;

	for (unsigned k = first; !at && k + 1 < c->o->nfuncs && k < i + NEIGHBOURS; k++)
		at = island_behind(c, k, window);
	return at;
}

/* ---- code that runs elsewhere ---- */

/* What a window with islands is made from. */
struct hosting {
	struct plan *plan;
	struct codescan *scan;
	taddr_t start;	/* of the plan's function */
	int64_t shift;	/* of the code from there */
	taddr_t window; /* that is to reach the island */
	const struct funcode *code;
};

static bool is_taken(const struct funcode *f, unsigned i)
{
	for (taddr_t at = f->func->addr + f->offs[i], end = at + f->insns[i].len; at < end; at++)
		if (codescan_is_taken(f->scan, at) || objfile_is_restartable(f->scan->o, at))
			return true;
	return false;
}

/* Makes [from, from + size) longer, until it has `need` bytes; i: the instruction behind it.
 * Returns its size; 0: it cannot be. */
static unsigned grow(const struct funcode *f, uint32_t from, unsigned size, unsigned need,
		     unsigned i)
{
	for (; size < need; size += f->insns[i++].len)
		if (i >= f->ninsns || f->offs[i] != from + size || !funcode_may_move(f, i) ||
		    is_taken(f, i) ||
		    funcode_is_jumped_into(f, from + MAX(size, 1U), from + size + f->insns[i].len))
			return 0;
	return size <= RELOC_WINDOW_MAX ? size : 0;
}

static unsigned room_for(const struct window *host, unsigned nislands)
{
	return JUMP_LEN * (host->nislands + nislands + 1);
}

/* Does control come to what follows the window? */
static bool is_left_at_its_end(const struct funcode *f, uint32_t from, unsigned size,
			       unsigned *next)
{
	unsigned i = funcode_index(f, from);

	while (i < f->ninsns && f->offs[i] + f->insns[i].len < from + size)
		i++;
	*next = i + 1;
	return i < f->ninsns && f->offs[i] + f->insns[i].len == from + size &&
	       funcode_may_move(f, i);
}

/* The window becomes longer, if it must. */
static bool is_host(const struct hosting *hs, struct window *w, bool may_grow)
{
	taddr_t at = hs->start + (taddr_t)w->off;
	unsigned need = room_for(w, 1), size = w->size, next;
	uint32_t from = (uint32_t)(w->off - hs->shift);

	if (w->is_short || w->size < JUMP_LEN || !reaches(hs->window, at + room_for(w, 0)))
		return false;
	if (size >= need)
		return true;
	if (!may_grow || (uint64_t)(w->off - hs->shift) >= hs->code->func->size ||
	    !is_left_at_its_end(hs->code, from, size, &next))
		return false;
	size = grow(hs->code, from, size, need, next);
	if (!size)
		return false;
	codescan_take(hs->scan, at, size, true);
	w->size = (uint8_t)size;
	return true;
}

/* Instructions that are moved for the island's sake alone. */
static bool new_host(const struct hosting *hs, unsigned *k)
{
	const struct funcode *f = hs->code;
	int64_t lowest = (int64_t)(hs->window - f->func->addr) - REACH - JUMP_LEN;
	unsigned i = lowest > 0 ? funcode_index(f, (uint32_t)lowest) : 0;

	for (; i < f->ninsns; i++) {
		taddr_t at = f->func->addr + f->offs[i];
		struct window w = {.off = f->offs[i] + hs->shift};
		unsigned size;

		if (at > hs->window + REACH)
			return false;
		if (!reaches(hs->window, at + JUMP_LEN))
			continue;
		size = grow(f, f->offs[i], 0, 2 * JUMP_LEN, i);
		if (!size)
			continue;
		w.size = (uint8_t)size;
		codescan_take(hs->scan, at, size, true);
		*k = plan_add_window(hs->plan, &w);
		return true;
	}
	return false;
}

static void settle(const struct hosting *hs, struct window *w, struct window *host)
{
	w->island = hs->start + (taddr_t)host->off + room_for(host, 0);
	w->is_hosted = true;
	w->host = host->off;
	host->nislands++;
}

static bool in_code(struct plan *p, struct codescan *scan, taddr_t start,
		    const struct funcode *code, unsigned *k)
{
	struct hosting hs = {.plan = p,
			     .scan = scan,
			     .start = start,
			     .shift = (int64_t)(code->func->addr - start),
			     .window = start + (taddr_t)p->windows[*k].off,
			     .code = code};
	const struct scanned *s = &code->scan->funcs[code->index];
	bool may_grow = !s->is_lost && !s->has_data && !returns_refused(code->scan, code->index);
	unsigned host = 0;

	while (host < p->nwindows && (host == *k || !is_host(&hs, &p->windows[host], may_grow)))
		host++;
	if (host == p->nwindows) {
		if (!may_grow || !new_host(&hs, &host))
			return false;
		*k += host <= *k;
	}
	settle(&hs, &p->windows[*k], &p->windows[host]);
	return true;
}

bool island_for(struct plan *p, struct codescan *scan, taddr_t start, const struct funcode *code,
		unsigned *k)
{
	struct window *w = &p->windows[*k];

	w->island = in_padding(scan, code->index, start + (taddr_t)w->off);
	if (w->island)
		codescan_take(scan, w->island, JUMP_LEN, true);
	return w->island || in_code(p, scan, start, code, k);
}
