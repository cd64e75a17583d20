#include "inject/x86/plan.h"

#include <errno.h>
#include <stdlib.h>

#include "inject/x86/island.h"
#include "inject/x86/retplan.h"

static const char no_room[] = "a return has no room for a jump";

/* A run of instructions that may become a window with others. */
struct planning {
	struct codescan *scan;
	struct funcode *codes; /* the function's, then those of its parts that return */
	unsigned ncodes;
	struct plan *plan;
	unsigned failed;     /* of PLAN_*: the kind that cannot be ... */
	const char *because; /* ... and why */
	const struct retsite *rets;
	unsigned nrets;
	taddr_t *left; /* what nothing jumps to any more: whoever did is moved */
	unsigned nleft;
	const struct plan_offset *offsets; /* of instructions that have probes, too */
	unsigned noffsets;
};

static taddr_t start_of(const struct planning *pl)
{
	return pl->codes[0].func->addr;
}

/* Which of them holds what lies there; the function's own, if none does. */
static const struct funcode *code_at(const struct planning *pl, int64_t off)
{
	taddr_t at = start_of(pl) + (taddr_t)off;

	for (unsigned i = 0; i < pl->ncodes; i++)
		if (at - pl->codes[i].func->addr < pl->codes[i].func->size)
			return &pl->codes[i];
	return &pl->codes[0];
}

static int fail(struct planning *pl, unsigned kind, const char *because)
{
	pl->failed = kind;
	pl->because = because;
	return -EINVAL;
}

/* The first instructions, and padding where the function is too short. */
static int entry_window(struct planning *pl, struct window *w)
{
	const struct funcode *f = &pl->codes[0];
	unsigned need = JUMP_LEN, size = 0, i = 0;
	bool ends = false;

	for (unsigned off = 1; off < need; off++)
		if (codescan_is_target(pl->scan, f->func->addr + off)) {
			if (off < SHORT_JUMP_LEN)
				return fail(pl, PLAN_ENTRY, "something jumps into its first bytes");
			need = SHORT_JUMP_LEN;
		}
	while (size < need && i < f->ninsns && !ends) { /* what is behind an end may be data */
		size += f->insns[i].len;
		ends = insn_ends_code(f->insns[i++].kind);
	}
	if (size < need && (ends || size == f->func->size))
		size += funcode_padding(f, size, need - size);
	if (size < SHORT_JUMP_LEN)
		return fail(pl, PLAN_ENTRY, "it is too short");
	if (size > f->limit)
		return fail(pl, PLAN_ENTRY, "another function begins in its first bytes");
	*w = (struct window){.size = (uint8_t)size, .nstops = 1, .is_short = need < JUMP_LEN};
	return 0;
}

static bool is_target(const struct planning *pl, taddr_t at)
{
	for (unsigned i = 0; i < pl->nleft; i++)
		if (pl->left[i] == at)
			return false;
	return codescan_is_target(pl->scan, at);
}

/* What comes first at one place: entry, offset, that of the `ret` that it leads to, exit. */
static unsigned rank_of(const struct reloc_stop *stop)
{
	return stop->is_exit ? 3U - stop->is_offset : stop->is_offset;
}

static bool is_behind(const struct reloc_stop *a, unsigned off, const struct reloc_stop *b)
{
	return a->off > off || (a->off == off && rank_of(a) > rank_of(b));
}

void plan_add_stop(struct window *w, const struct reloc_stop *stop, unsigned shift)
{
	unsigned at = w->nstops++;

	for (; at && is_behind(&w->stops[at - 1], stop->off + shift, stop); at--)
		w->stops[at] = w->stops[at - 1];
	w->stops[at] = *stop;
	w->stops[at].off = (uint8_t)(stop->off + shift);
	w->stops[at].ret += (int32_t)shift;
}

/* Can all that stands there be run elsewhere, one behind the other? */
static bool may_move(const struct planning *pl, int64_t from, unsigned size)
{
	const struct funcode *f = code_at(pl, from);
	uint32_t off = (uint32_t)(start_of(pl) + (taddr_t)from - f->func->addr), end = off + size;

	for (unsigned i = funcode_index(f, off); i < f->ninsns; i++)
		if (f->offs[i] + f->insns[i].len >= end || insn_ends_code(f->insns[i].kind))
			return true; /* what is behind an end is padding */
		else if (!funcode_may_move(f, i))
			return false;
	return true;
}

/* Two windows that overlap become one. False: something jumps to the second, or there is too much.
 */
static bool merge(const struct planning *pl, struct window *a, const struct window *b)
{
	unsigned shift = (unsigned)(b->off - a->off), size = MAX(a->size, shift + b->size);

	for (unsigned off = 1; off < size; off++)
		if (is_target(pl, start_of(pl) + (taddr_t)a->off + off))
			return false;
	if (shift == a->size && codescan_is_target(pl->scan, start_of(pl) + (taddr_t)b->off))
		return false; /* control may end in front of it */
	if (size > RELOC_WINDOW_MAX || a->nstops + b->nstops > RELOC_STOPS ||
	    !may_move(pl, a->off, size))
		return false;
	for (unsigned i = 0; i < b->nstops; i++)
		plan_add_stop(a, &b->stops[i], shift);
	a->size = (uint8_t)size;
	return true;
}

/* Those that overlap must become one; neighbours may, if one is too short for a jump. */
static int merge_windows(struct planning *pl)
{
	struct plan *p = pl->plan;
	unsigned kept = 0;

	for (unsigned i = 1; i < p->nwindows; i++) {
		struct window *last = &p->windows[kept], *w = &p->windows[i];
		int64_t end = last->off + last->size;
		bool is_wanted = w->off == end && MIN(last->size, w->size) < JUMP_LEN;

		if (w->off < end && !merge(pl, last, w))
			return fail(pl, PLAN_RETURN, "its returns stand too close to each other");
		if (w->off >= end && (!is_wanted || !merge(pl, last, w)))
			p->windows[++kept] = *w;
	}
	p->nwindows = p->nwindows ? kept + 1 : 0;
	return 0;
}

/* The kernel sends a thread that is stopped in such a sequence to its abort handler, by its pc. */
static int check_sequences(struct planning *pl)
{
	for (unsigned k = 0; k < pl->plan->nwindows; k++) {
		const struct window *w = &pl->plan->windows[k];

		for (unsigned off = 0; off < w->size; off++)
			if (objfile_is_restartable(pl->scan->o,
						   start_of(pl) + (taddr_t)w->off + off))
				return fail(pl, PLAN_ENTRY | PLAN_RETURN,
					    "a restartable sequence (rseq) stands there");
	}
	return 0;
}

/* The padding that windows of a function at `start` replace, and their islands. */
static void take_windows(const struct plan *p, struct codescan *scan, taddr_t start, bool on)
{
	for (unsigned i = 0; i < p->nwindows; i++) {
		const struct window *w = &p->windows[i];

		codescan_take(scan, start + (taddr_t)w->off, w->size, on);
		if (w->island && !w->is_hosted)
			codescan_take(scan, w->island, JUMP_LEN, on);
	}
}

static void take_padding(struct planning *pl, bool on)
{
	take_windows(pl->plan, pl->scan, start_of(pl), on);
}

bool plan_take(const struct plan *p, struct codescan *scan, unsigned i)
{
	taddr_t start = scan->o->funcs[i].addr;

	for (unsigned k = 0; k < p->nwindows; k++) {
		const struct window *w = &p->windows[k];

		if (!codescan_is_free(scan, start + (taddr_t)w->off, w->size) ||
		    (w->island && !w->is_hosted && !codescan_is_free(scan, w->island, JUMP_LEN)))
			return false;
	}
	take_windows(p, scan, start, true);
	return true;
}

/* Where the short jump of window *k leads to. *k: it may have got another number. */
static bool find_island(struct planning *pl, unsigned *k)
{
	const struct window *w = &pl->plan->windows[*k];

	return w->size >= SHORT_JUMP_LEN &&
	       island_for(pl->plan, pl->scan, start_of(pl), code_at(pl, w->off), k);
}

/* Short windows get an island. */
static int place_jumps(struct planning *pl)
{
	for (unsigned k = 0; k < pl->plan->nwindows; k++) {
		const struct window *w = &pl->plan->windows[k];
		unsigned kind = w->stops[0].is_exit ? PLAN_RETURN : PLAN_ENTRY;

		if ((w->size < JUMP_LEN || w->is_short) && !find_island(pl, &k))
			return fail(pl, kind, kind == PLAN_ENTRY ? "it is too short" : no_room);
	}
	return 0;
}

static bool is_breakpoint(const struct planning *pl, int64_t off)
{
	for (unsigned i = 0; i < pl->noffsets; i++)
		if (pl->offsets[i].off == off)
			return pl->offsets[i].why;
	return false;
}

static unsigned kinds_of(const struct window *w)
{
	unsigned kinds = w->nstops ? 0 : PLAN_ENTRY | PLAN_RETURN;

	for (unsigned i = 0; i < w->nstops; i++)
		kinds |= w->stops[i].is_exit ? PLAN_RETURN : PLAN_ENTRY;
	return kinds;
}

/* Where a breakpoint of an instruction stands there may be no window. */
static int check_offsets(struct planning *pl)
{
	for (unsigned k = 0; k < pl->plan->nwindows; k++) {
		const struct window *w = &pl->plan->windows[k];

		for (unsigned i = 0; i < pl->noffsets; i++)
			if (pl->offsets[i].why && pl->offsets[i].off >= w->off &&
			    pl->offsets[i].off < w->off + w->size)
				return fail(pl, kinds_of(w),
					    "an instruction that is a breakpoint stands there");
	}
	return 0;
}

/* A `ret` without room: all that leads there is moved. Returns why it cannot be. */
static const char *move_what_leads_to(struct planning *pl, const struct retsite *site)
{
	const struct funcode *code = code_at(pl, site->off);
	int64_t shift = (int64_t)(code->func->addr - start_of(pl));
	uint32_t off = (uint32_t)(site->off - shift);
	unsigned before = pl->plan->nwindows;
	const char *why;
	struct window w;

	if (!return_may_be_inner(code, off) || is_breakpoint(pl, site->off))
		return no_room;
	why = return_fall_window(code, off, &w);
	w.off += shift;
	if (!why && w.size)
		plan_add_window(pl->plan, &w);
	for (unsigned i = 0; !why && return_next_jump(code, off, &i); i++) {
		why = return_jump_window(code, off, i, &w);
		w.off += shift;
		if (!why)
			plan_add_window(pl->plan, &w);
	}
	pl->left[pl->nleft++] = start_of(pl) + (taddr_t)site->off;
	return why || pl->plan->nwindows > before ? why : no_room; /* who comes there? */
}

static const char *site_window(const struct planning *pl, const struct retsite *site,
			       struct window *w)
{
	const struct funcode *code = code_at(pl, site->off);
	int64_t shift = (int64_t)(code->func->addr - start_of(pl));
	const struct retsite there = {.off = site->off - shift, .is_jump = site->is_jump};
	const char *why = return_window(code, &there, w);

	if (!why)
		w->off += shift;
	return why;
}

static int plan_windows(struct planning *pl, unsigned kinds)
{
	struct window w;
	int r = 0;

	pl->plan->nwindows = pl->nleft = 0;
	if (kinds & PLAN_ENTRY) {
		r = entry_window(pl, &w);
		if (!r)
			plan_add_window(pl->plan, &w);
	}
	for (unsigned i = 0; i < pl->nrets && kinds & PLAN_RETURN && !r; i++) {
		const char *why = site_window(pl, &pl->rets[i], &w);

		if (!why && w.size < SHORT_JUMP_LEN)
			why = move_what_leads_to(pl, &pl->rets[i]);
		else if (!why)
			plan_add_window(pl->plan, &w);
		if (why)
			r = fail(pl, PLAN_RETURN, why);
	}
	if (!r)
		r = merge_windows(pl);
	if (!r)
		r = check_sequences(pl);
	if (r)
		return r;
	take_padding(pl, true);
	r = place_jumps(pl);
	if (!r)
		r = check_offsets(pl); /* in what holds islands, too */
	if (r)
		take_padding(pl, false);
	return r;
}

/* Does a breakpoint of that kind lie in a window? */
static bool touches(const struct planning *pl, unsigned kind)
{
	for (unsigned i = 0; i < pl->plan->nwindows; i++) {
		const struct window *w = &pl->plan->windows[i];

		if (kind == PLAN_ENTRY && w->off == 0)
			return true;
		for (unsigned k = 0; k < pl->nrets && kind == PLAN_RETURN; k++)
			if ((uint64_t)(pl->rets[k].off - w->off) < w->size)
				return true;
	}
	return false;
}

static void refuse(struct planning *pl, unsigned kinds, const char *why)
{
	if (kinds & PLAN_ENTRY)
		pl->plan->entry_why = why;
	if (kinds & PLAN_RETURN)
		pl->plan->return_why = why;
	pl->plan->kinds &= ~kinds;
}

/* What remains when one kind cannot be. */
static void plan_kinds(struct planning *pl)
{
	struct plan *p = pl->plan;

	while (p->kinds && plan_windows(pl, p->kinds)) {
		unsigned failed = pl->failed, others = p->kinds & ~failed;

		refuse(pl, failed, pl->because);
		if (!others)
			break;
		if (plan_windows(pl, others))
			continue;
		if (!touches(pl, failed))
			break;
		take_padding(pl, false);
		refuse(pl, others,
		       failed == PLAN_RETURN ? "its return is a breakpoint there"
					     : "its entry is a breakpoint there");
	}
	if (!p->kinds)
		p->nwindows = 0;
}

static const char *refusal(const struct codescan *c, const struct func *f, unsigned i)
{
	if (f->is_ifunc)
		return "it chooses an implementation (ifunc)";
	if (!strcmp(f->name, "__restore_rt"))
		return "unwinders know it by its bytes";
	return c->funcs[i].broken ? "its code cannot be decoded" : NULL;
}

/* Code that the function's returns lie in. */
static void read_code(struct planning *pl, unsigned i)
{
	const struct objfile *o = pl->scan->o;

	pl->codes = xcalloc(pl->nrets + 1, sizeof(*pl->codes));
	funcode_init(&pl->codes[pl->ncodes++], pl->scan, i);
	for (unsigned k = 0; k < pl->nrets; k++) {
		taddr_t at = start_of(pl) + (taddr_t)pl->rets[k].off;
		const struct funcode *code = code_at(pl, pl->rets[k].off);
		const struct func *part;

		if (at - code->func->addr < code->func->size)
			continue;
		part = objfile_at(o, at);
		if (part)
			funcode_init(&pl->codes[pl->ncodes++], pl->scan,
				     (unsigned)(part - o->funcs));
	}
}

static const char *why_no_returns(const struct planning *pl)
{
	const char *why = NULL;

	for (unsigned i = 0; i < pl->ncodes && !why; i++) {
		why = returns_refused(pl->scan, pl->codes[i].index);
		if (!why && pl->scan->funcs[pl->codes[i].index].has_data)
			why = "data stands in its code";
	}
	return why;
}

void plan_read_windows(const struct plan *p, const struct objfile *o, const struct func *f)
{
	for (unsigned i = 0; i < p->nwindows; i++) {
		struct window *w = &p->windows[i];

		objfile_bytes(o, f->addr + (taddr_t)w->off, w->bytes, w->size);
	}
}

void plan_drop(struct plan *p, struct codescan *scan, unsigned i)
{
	take_windows(p, scan, scan->o->funcs[i].addr, false);
	free(p->windows);
	*p = (struct plan){0};
}

struct plan plan_function(struct codescan *c, unsigned i, unsigned kinds)
{
	struct plan p = plan_around(c, i, kinds, NULL, 0);

	plan_read_windows(&p, c->o, &c->o->funcs[i]);
	return p;
}

struct plan plan_around(struct codescan *c, unsigned i, unsigned kinds,
			const struct plan_offset *offsets, unsigned noffsets)
{
	const struct func *f = &c->o->funcs[i];
	struct plan p = {.kinds = kinds,
			 .keeps_flags_and_redzone =
				 codescan_keeps_flags(c, i) ||
				 ((f->is_cfi || f->no_glob) && codescan_may_be_part(c, f->addr))};
	struct planning pl = {.scan = c, .plan = &p, .offsets = offsets, .noffsets = noffsets};
	const char *why = refusal(c, f, i);
	bool decoded;

	if (why) {
		refuse(&pl, kinds, why);
		return p;
	}
	if (kinds & PLAN_RETURN)
		pl.nrets = objfile_retsites(c->o, f, &pl.rets, &decoded);
	pl.left = xcalloc(pl.nrets + 1, sizeof(*pl.left));
	read_code(&pl, i);
	why = kinds & PLAN_RETURN ? why_no_returns(&pl) : NULL;
	if (why)
		refuse(&pl, PLAN_RETURN, why);
	plan_kinds(&pl);
	for (unsigned k = 0; k < pl.ncodes; k++)
		funcode_release(&pl.codes[k]);
	free(pl.codes);
	free(pl.left);
	return p;
}
