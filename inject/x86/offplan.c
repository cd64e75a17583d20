/*
 * offplan.c: windows for single instructions, among those of entry and returns. What something
 * jumps to can only be the first byte of a window, and what follows a call, where threads come back
 * to, too; so these tile the code between such places.
 */
#include <stdlib.h>
#include <string.h>

#include "inject/x86/island.h"
#include "inject/x86/retplan.h"

static const char no_room[] = "it has no room for a jump before something that is jumped to";

#define RET 0xc3

/* The instructions of one function that have probes. */
struct tiling {
	struct codescan *scan;
	struct funcode code;
	struct plan *plan;
	struct plan_offset *offsets;
	unsigned noffsets;
	unsigned refused; /* of PLAN_*: what must be breakpoints */
	const struct retsite *rets;
	unsigned nrets;
};

/* ---- one window ---- */

static int fill_nothing(void *arg UNUSED, unsigned i UNUSED, taddr_t at UNUSED,
			uint8_t *code UNUSED, unsigned room UNUSED)
{
	return 0;
}

static bool can_be_moved(const struct funcode *f, const struct window *w)
{
	taddr_t from = f->func->addr + (taddr_t)w->off;
	const struct reloc_request rq = {.bytes = f->bytes + w->off,
					 .n = w->size,
					 .from = from,
					 .to = from,
					 .need = w->size,
					 .fill = fill_nothing};
	struct reloc moved;
	struct err err;

	for (unsigned off = 0; off < w->size; off++)
		if (objfile_is_restartable(f->scan->o, from + off))
			return false;
	return !reloc_window(&rq, &moved, &err);
}

/* Instructions behind i that nothing jumps to, up to `hi`. */
static unsigned run_on(const struct funcode *f, unsigned i, unsigned size, uint32_t hi)
{
	unsigned padding;
	uint32_t end;

	for (; size < JUMP_LEN && i + 1 < f->ninsns && funcode_may_move(f, i); i++) {
		uint32_t next = f->offs[i + 1];

		end = next + f->insns[i + 1].len;
		if (end > hi || funcode_is_jumped_into(f, next, end))
			return size;
		size += f->insns[i + 1].len;
	}
	if (size >= JUMP_LEN || !insn_ends_code(f->insns[i].kind))
		return size;
	end = f->offs[i] + f->insns[i].len;
	padding = funcode_padding(f, end, JUMP_LEN - size);
	return end + padding <= hi || hi == f->func->size ? size + padding : size;
}

/* In front of instruction i, which nothing jumps to either, down to `lo`. */
static unsigned run_back(const struct funcode *f, unsigned i, unsigned *size, uint32_t lo)
{
	while (*size < JUMP_LEN && i > 0 && f->offs[i - 1] >= lo && funcode_may_move(f, i - 1) &&
	       !funcode_is_jumped_into(f, f->offs[i - 1] + 1, f->offs[i] + 1))
		*size += f->insns[--i].len;
	return i;
}

/* A window in [lo, hi) that holds the instruction at `off`: it may be shorter than a jump. Returns
 * why there is none. */
static const char *window_of(const struct funcode *f, uint32_t off, uint32_t lo, uint32_t hi,
			     struct window *w)
{
	bool is_sure = !f->scan->funcs[f->index].is_unsure;
	unsigned first = funcode_index(f, off), size;

	if (first == f->ninsns || f->offs[first] != off)
		return "its code cannot be decoded";
	size = f->insns[first].len;
	if (funcode_is_jumped_into(f, off + 1, off + size))
		return "something jumps into it";
	if (is_sure) {
		size = run_on(f, first, size, hi);
		first = run_back(f, first, &size, lo);
	}
	if (size < JUMP_LEN && !is_sure)
		return "it is shorter than a jump, and not all is known that jumps into its "
		       "function";
	if (size > RELOC_WINDOW_MAX)
		return no_room;
	*w = (struct window){.off = f->offs[first], .size = (uint8_t)size};
	return can_be_moved(f, w) ? NULL : "it cannot be run elsewhere";
}

/* ---- stops ---- */

/* Where control ends in it: what follows is padding, and never come to. */
static uint32_t end_of(const struct funcode *f, const struct window *w)
{
	uint32_t end = (uint32_t)w->off + w->size;
	unsigned i = funcode_index(f, (uint32_t)w->off);

	for (; i < f->ninsns && f->offs[i] < end; i++)
		if (insn_ends_code(f->insns[i].kind))
			return f->offs[i] + f->insns[i].len;
	return end;
}

/* False: there are too many. */
static bool add_stop(const struct funcode *f, struct window *w, uint32_t off)
{
	const struct reloc_stop stop = {.off = (uint8_t)(off - w->off), .is_offset = true};

	if (off >= end_of(f, w))
		return true;
	if (w->nstops == RELOC_STOPS)
		return false;
	plan_add_stop(w, &stop, 0);
	return true;
}

/* Of the windows, which are in order: how many begin at `off` or before it. */
static unsigned windows_up_to(const struct plan *p, int64_t off)
{
	unsigned lo = 0, hi = p->nwindows;

	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2;

		if (p->windows[mid].off <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct window *window_at(const struct tiling *t, uint32_t off)
{
	unsigned n = windows_up_to(t->plan, off);
	struct window *w = n ? &t->plan->windows[n - 1] : NULL;

	return w && off < w->off + w->size ? w : NULL;
}

/* Entry or returns that are breakpoints stand there. */
static const char *breakpoint_in(const struct tiling *t, int64_t from, int64_t end)
{
	if (t->refused & PLAN_ENTRY && from <= 0 && end > 0)
		return "its function's entry is a breakpoint there";
	for (unsigned i = 0; i < t->nrets && t->refused & PLAN_RETURN; i++)
		if (t->rets[i].off >= from && t->rets[i].off < end)
			return "a return is a breakpoint there";
	return NULL;
}

/* Of those that have probes: the first at `off` or behind it. */
static unsigned first_from(const struct tiling *t, uint32_t off)
{
	unsigned lo = 0, hi = t->noffsets;

	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2;

		if (t->offsets[mid].off < off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Between which windows and breakpoints the instruction at `off` lies: none is further away than a
 * window may reach. */
static void room_around(const struct tiling *t, uint32_t off, uint32_t *lo, uint32_t *hi)
{
	unsigned n = windows_up_to(t->plan, off), k = first_from(t, off), i = k;
	const struct window *w = t->plan->windows;
	const struct plan_offset *v = t->offsets;

	*lo = 0;
	*hi = (uint32_t)t->code.func->size;
	if (n)
		*lo = (uint32_t)MAX(w[n - 1].off + w[n - 1].size, 0);
	if (n < t->plan->nwindows && w[n].off < *hi)
		*hi = (uint32_t)w[n].off;
	for (; i > 0 && v[i - 1].off + 2 * RELOC_WINDOW_MAX > off && v[i - 1].off >= *lo; i--)
		if (v[i - 1].why)
			*lo = v[i - 1].off + 1;
	for (i = k + (k < t->noffsets && v[k].off == off);
	     i < t->noffsets && v[i].off < off + 2 * RELOC_WINDOW_MAX && v[i].off < *hi; i++)
		if (v[i].why)
			*hi = v[i].off;
}

/* ---- where a jump has no room ---- */

/* It may become longer: no island stands in it. */
static bool is_plain(const struct window *w)
{
	return w->off >= 0 && !w->island && !w->nislands && w->nstops < RELOC_STOPS;
}

static void take(const struct tiling *t, const struct window *w, bool on)
{
	codescan_take(t->scan, t->code.func->addr + (taddr_t)w->off, w->size, on);
}

/* The window in front of the instruction gets it, too, if that is all there is. is_led: whoever
 * jumps to it is moved, too. */
static bool join(struct tiling *t, uint32_t off, bool is_led)
{
	const struct funcode *f = &t->code;
	unsigned n = windows_up_to(t->plan, off), i = funcode_index(f, off);
	struct window *w = n ? &t->plan->windows[n - 1] : NULL, longer;

	if (!w || w->off + w->size != off || !is_plain(w) || i == 0 || i == f->ninsns ||
	    f->offs[i] != off)
		return false;
	longer = *w;
	longer.size = (uint8_t)(w->size + f->insns[i].len);
	if (longer.size > RELOC_WINDOW_MAX || f->scan->funcs[f->index].is_unsure ||
	    !funcode_may_move(f, i - 1) ||
	    (!is_led && funcode_is_jumped_into(f, off, off + f->insns[i].len)) ||
	    breakpoint_in(t, off, off + f->insns[i].len) || !can_be_moved(f, &longer))
		return false;
	*w = longer;
	take(t, w, true);
	return true;
}

/* The window right behind these instructions begins with them, if nothing jumps to it. */
static bool put_in_front(struct tiling *t, const struct window *add)
{
	const struct funcode *f = &t->code;
	unsigned n = windows_up_to(t->plan, add->off), last;
	struct window *w = n < t->plan->nwindows ? &t->plan->windows[n] : NULL, longer;

	if (!w || w->off != add->off + add->size || !is_plain(w) ||
	    w->size + add->size > RELOC_WINDOW_MAX ||
	    funcode_is_jumped_into(f, (uint32_t)w->off, (uint32_t)w->off + 1))
		return false;
	last = funcode_index(f, (uint32_t)w->off) - 1;
	longer = *w;
	longer.off = add->off;
	longer.size = (uint8_t)(w->size + add->size);
	for (unsigned i = 0; i < longer.nstops; i++)
		longer.stops[i].off = (uint8_t)(longer.stops[i].off + add->size);
	for (unsigned i = 0; i < longer.nstops; i++)
		longer.stops[i].ret += add->size;
	if (!funcode_may_move(f, last) || !can_be_moved(f, &longer))
		return false;
	*w = longer;
	take(t, w, true);
	return true;
}

static unsigned add(struct tiling *t, const struct window *w)
{
	take(t, w, true);
	return plan_add_window(t->plan, w);
}

/* A short jump leads to a long one elsewhere. */
static bool put_on_island(struct tiling *t, const struct window *w)
{
	struct plan *p = t->plan;
	unsigned at;

	if (w->size < SHORT_JUMP_LEN)
		return false;
	at = add(t, w);
	if (island_for(p, t->scan, t->code.func->addr, &t->code, &at))
		return true;
	take(t, w, false);
	memmove(&p->windows[at], &p->windows[at + 1], (--p->nwindows - at) * sizeof(*w));
	return false;
}

/* A window for the instruction there. Returns why there is none. */
static const char *add_window(struct tiling *t, uint32_t off)
{
	uint32_t lo, hi;
	const char *why;
	struct window w;

	room_around(t, off, &lo, &hi);
	why = window_of(&t->code, off, lo, hi, &w);
	if (!why)
		why = breakpoint_in(t, w.off, w.off + w.size);
	if (why)
		return join(t, off, false) ? NULL : why;
	if (w.size >= JUMP_LEN)
		add(t, &w);
	else if (!join(t, off, false) && !put_in_front(t, &w) && !put_on_island(t, &w))
		return no_room;
	return NULL;
}

/* ---- a `ret` of one byte that is jumped to: what leads there is moved, and returns itself ---- */

static bool may_be_led(const struct tiling *t, uint32_t off)
{
	const struct funcode *f = &t->code;

	return !f->scan->funcs[f->index].is_unsure && !breakpoint_in(t, off, off + 1) &&
	       return_may_be_inner(f, off);
}

/* Its function's return is hooked so: nobody comes to it any more. */
static bool is_led(const struct tiling *t, uint32_t off)
{
	if (off >= t->code.n || t->code.bytes[off] != RET)
		return false;
	for (unsigned i = 0; i < t->plan->nwindows; i++) {
		const struct window *w = &t->plan->windows[i];

		for (unsigned k = 0; k < w->nstops; k++)
			if (w->stops[k].leads_to_ret && w->off + w->stops[k].ret == off)
				return true;
	}
	return false;
}

/* From the jump at `from`. */
static const char *lead_from(struct tiling *t, uint32_t from, uint32_t off)
{
	unsigned k = first_from(t, from);
	struct reloc_stop stop = {.is_exit = true, .is_offset = true, .leads_to_ret = true};
	const char *why = NULL;
	struct window *w;

	if (k < t->noffsets && t->offsets[k].off == from && t->offsets[k].why)
		return "what jumps to it is a breakpoint";
	if (!window_at(t, from))
		why = add_window(t, from);
	w = why ? NULL : window_at(t, from);
	if (!w || from >= end_of(&t->code, w))
		return why;
	if (w->nstops == RELOC_STOPS)
		return no_room;
	stop.off = (uint8_t)(from - w->off);
	stop.ret = (int32_t)((int64_t)off - w->off);
	plan_add_stop(w, &stop, 0);
	return can_be_moved(&t->code, w) ? NULL : no_room;
}

/* What is in front of it comes to it by itself, if `fall` has bytes. */
static const char *lead_falling(struct tiling *t, struct window *fall, uint32_t off)
{
	uint32_t lo, hi;

	if (!fall->size || window_at(t, off))
		return NULL;
	fall->nstops = 0;
	room_around(t, off, &lo, &hi);
	if (join(t, off, true))
		return NULL;
	if (fall->off < lo || breakpoint_in(t, fall->off, off + 1) || !can_be_moved(&t->code, fall))
		return no_room;
	if (fall->size >= JUMP_LEN)
		add(t, fall);
	else if (!put_on_island(t, fall))
		return no_room;
	return NULL;
}

static const char *lead(struct tiling *t, uint32_t off)
{
	const struct funcode *f = &t->code;
	struct window fall, *w;
	const char *why = return_fall_window(f, off, &fall);
	unsigned i = 0, n = 0;

	if (!why)
		why = lead_falling(t, &fall, off);
	w = why ? NULL : window_at(t, off);
	if (w && !add_stop(f, w, off))
		why = no_room;
	for (; !why && return_next_jump(f, off, &i); i++, n++)
		why = lead_from(t, f->offs[i], off);
	return why || n || w ? why : no_room;
}

/* ---- all of them ---- */

/* What stands there is nobody's to be moved for the sake of another. */
static void mark(const struct tiling *t, int64_t off, bool on)
{
	codescan_take(t->scan, t->code.func->addr + (taddr_t)off, 1, on);
}

static void mark_breakpoints(const struct tiling *t, bool on)
{
	for (unsigned i = 0; i < t->noffsets; i++)
		if (t->offsets[i].why)
			mark(t, t->offsets[i].off, on);
	if (t->refused & PLAN_ENTRY)
		mark(t, 0, on);
	for (unsigned i = 0; i < t->nrets && t->refused & PLAN_RETURN; i++)
		mark(t, t->rets[i].off, on);
}

/* False: it is a breakpoint where windows are that would go past it: it has to be from the
 * beginning. */
static bool place(struct tiling *t, struct plan_offset *o)
{
	struct window *w;

	if (!o->why && is_led(t, o->off))
		o->why = no_room;
	if (!o->why && !window_at(t, o->off))
		o->why = add_window(t, o->off);
	w = o->why ? NULL : window_at(t, o->off);
	if (w && !add_stop(&t->code, w, o->off)) {
		o->why = "there are too many probes around it";
		return false;
	}
	if (!o->why)
		return true;
	mark(t, o->off, true);
	return !is_led(t, o->off);
}

static bool place_all(struct tiling *t)
{
	bool *waits = xcalloc(t->noffsets + 1, sizeof(*waits)), ok = true;
	const char *why;

	mark_breakpoints(t, true);
	for (unsigned k = 0; k < t->noffsets && ok; k++) {
		struct plan_offset *o = &t->offsets[k];

		waits[k] = !o->why && may_be_led(t, o->off) &&
			   (is_led(t, o->off) || (!window_at(t, o->off) && add_window(t, o->off)));
		if (!waits[k])
			ok = place(t, o);
	}
	for (unsigned k = 0; k < t->noffsets && ok; k++) {
		why = waits[k] ? lead(t, t->offsets[k].off) : NULL;
		if (!why)
			continue;
		t->offsets[k].why = why;
		ok = false;
	}
	mark_breakpoints(t, false);
	free(waits);
	return ok;
}

/* ---- a function ---- */

static const char *refusal(const struct codescan *c, unsigned i)
{
	if (c->o->funcs[i].is_ifunc)
		return "it chooses an implementation (ifunc)";
	if (c->funcs[i].broken || c->funcs[i].has_data)
		return "data stands in its code";
	return returns_refused(c, i);
}

static void refuse_all(struct plan_offset *offsets, unsigned n, const char *why)
{
	for (unsigned i = 0; i < n && why; i++)
		if (!offsets[i].why)
			offsets[i].why = why;
}

struct plan plan_offsets(struct codescan *scan, unsigned i, unsigned kinds, unsigned breakpoints,
			 struct plan_offset *offsets, unsigned noffsets)
{
	struct tiling t = {.scan = scan, .offsets = offsets, .noffsets = noffsets};
	struct plan p;
	bool decoded;

	refuse_all(offsets, noffsets, refusal(scan, i));
	t.nrets = objfile_retsites(scan->o, &scan->o->funcs[i], &t.rets, &decoded);
	funcode_init(&t.code, scan, i);
	for (;;) {
		p = plan_around(scan, i, kinds, offsets, noffsets);
		t.plan = &p;
		t.refused = breakpoints | (kinds & ~p.kinds);
		if (place_all(&t))
			break;
		plan_drop(&p, scan, i);
	}
	funcode_release(&t.code);
	plan_read_windows(&p, scan->o, &scan->o->funcs[i]);
	return p;
}
