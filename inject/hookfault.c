/* hookfault.c: a thread has faulted in a trampoline: what it was about, and what a program knows of
 * that.
 */
#include "inject/hookobj.h"
#include "inject/hooks_priv.h"

#include <errno.h>
#include <stdlib.h>

/* Each is a stop: a program that gives its memory back that often is asked about each piece. */
#define LOADS_FAIL 16

/* ---- whose trampoline it is ---- */

void hooks_forget_trampolines(struct hooks *h)
{
	free(h->code.by_trampoline);
	h->code.by_trampoline = NULL;
	h->code.nby_trampoline = 0;
}

static int by_trampoline(const void *a, const void *b)
{
	taddr_t x = (*(struct hooked *const *)a)->trampoline,
		y = (*(struct hooked *const *)b)->trampoline;

	return x < y ? -1 : x > y;
}

static void list_trampolines(struct hooks *h)
{
	struct hooked *w;
	size_t n = 0;

	hooks_unfold_images(h);
	for (struct hooks_each e = {.h = h}; hooks_each_window(&e);)
		n++;
	h->code.by_trampoline = xcalloc(n + 1, sizeof(struct hooked *));
	for (struct hooks_each e = {.h = h}; (w = hooks_each_window(&e));)
		if (w->is_written)
			h->code.by_trampoline[h->code.nby_trampoline++] = w;
	qsort(h->code.by_trampoline, h->code.nby_trampoline, sizeof(struct hooked *),
	      by_trampoline);
}

static struct hooked *window_of(struct hooks *h, taddr_t pc)
{
	size_t lo = 0, hi;

	if (!h->code.by_trampoline)
		list_trampolines(h);
	hi = h->code.nby_trampoline;
	while (lo < hi) { /* the last one that begins at pc or before it */
		size_t mid = lo + (hi - lo) / 2;

		if (h->code.by_trampoline[mid]->trampoline <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && pc - h->code.by_trampoline[lo - 1]->trampoline <
				       h->code.by_trampoline[lo - 1]->trampoline_len
		       ? h->code.by_trampoline[lo - 1]
		       : NULL;
}

/* ---- the program's own instructions ---- */

/* As many bytes as it was. */
static int leave_room(void *arg, unsigned i, taddr_t at UNUSED, uint8_t *code, unsigned room)
{
	const struct hooked *w = arg;
	unsigned len = w->map.end[i][PAYLOAD_MAX - 1] - w->map.begin[i];

	if (len > room)
		return -ENOSPC;
	memset(code, 0, len);
	return (int)len;
}

/* What comes behind it, if the program goes on there, is no longer hooked. */
static bool has_stop_behind(const struct hooked *w, unsigned off)
{
	return w->nstops && w->stops[w->nstops - 1].off > off;
}

/* Moves the window once more, to see where everything has gone to. */
static bool find_moved(struct hooked *w, unsigned at, struct hook_fault *f)
{
	const struct reloc_request rq = {.bytes = w->bytes,
					 .n = w->size,
					 .from = w->addr,
					 .to = w->trampoline,
					 .need = w->size,
					 .stops = w->stops,
					 .nstops = w->nstops,
					 .fill = leave_room,
					 .arg = w};
	struct reloc moved;
	struct insn_plan pl;
	struct err err;
	unsigned off = w->size;
	bool undo = false;

	if (reloc_window(&rq, &moved, &err))
		return false;
	while (off && !(moved.insn_at[off - 1] && moved.insn_at[off - 1] - 1U <= at))
		off--;
	if (!off-- || at >= moved.len)
		return false;
	if (insn_plan(w->bytes + off, w->size - off, w->addr + off, &pl, &err))
		return false;
	at -= moved.insn_at[off] - 1U;
	if (at && pl.how == INSN_SLOT && (pl.op == EMUL_CALL_REG || pl.op == EMUL_CALL_MEM))
		insn_slot_origin(&pl, at, &undo);
	f->pc = w->addr + off;
	f->undo = undo ? 8 : 0;
	f->is_replaced = has_stop_behind(w, off) ||
			 off < (w->island ? SHORT_JUMP_LEN : JUMP_LEN * (1 + w->nislands));
	return true;
}

/* ---- what is done before them ---- */

static void see_what_is_done(const struct hook_point *point, unsigned npayloads,
			     struct hook_fault *f)
{
	unsigned ncalls = npayloads - (point->counts && npayloads);

	f->has_counted = point->counts && npayloads;
	for (unsigned i = 0; i < ncalls && i < point->ncalls; i++)
		if (point->calls[i].function == HOOK_FN_AGGREGATE)
			f->nclaimed++;
		else
			f->has_recorded = true;
}

static bool find_payload(const struct hooks *h, const struct hooked *w, unsigned at, unsigned stop,
			 struct hook_fault *f)
{
	const struct area *a = &h->code.areas[w->area];
	const uint16_t *ends = w->map.end[stop];
	unsigned begin = w->map.begin[stop], k = 0;

	while (at >= ends[k])
		begin = ends[k++];
	if (!trampoline_undo(a->code + (w->trampoline - a->start) + begin, at - begin,
			     w->keeps_flags_and_redzone, &f->undo, &f->has_rax))
		return false;
	f->is_ours = true;
	f->pc = w->addr +
		(w->stops[stop].leads_to_ret ? (taddr_t)w->stops[stop].ret : w->stops[stop].off);
	f->is_exit = w->stops[stop].is_exit && !w->stops[stop].is_offset;
	f->is_offset = w->stops[stop].is_offset;
	f->go_on = w->trampoline + ends[PAYLOAD_MAX - 1];
	see_what_is_done(&w->points[stop], k, f);
	return true;
}

/* Of the copy of the hook object there; 0: pc is not where it loads. */
static taddr_t load_failed(const struct area *a, taddr_t pc)
{
	const struct hook_object *o = (const void *)hookobj_bytes;
	uint64_t off = pc - a->start;

	return a->start && off >= o->load && off < o->load_failed ? a->start + o->load_failed : 0;
}

taddr_t hooks_end_load(struct hooks *h, taddr_t pc)
{
	taddr_t end = 0;

	for (unsigned i = 0; i < h->code.nareas && !end; i++)
		end = load_failed(&h->code.areas[i], pc);
	if (end && ++h->mem.nfailed >= LOADS_FAIL)
		hooks_keep_no_more(h);
	return end;
}

bool hooks_fault(struct hooks *h, taddr_t pc, struct hook_fault *out)
{
	struct hooked *w = window_of(h, pc);
	struct hook_fault f = {0};
	unsigned at;
	bool found;

	if (!w || !h->code.areas[w->area].start)
		return false;
	at = (unsigned)(pc - w->trampoline);
	f.function = w->function;
	for (unsigned i = 0; i < w->nstops; i++)
		if (at >= w->map.begin[i] && at < w->map.end[i][PAYLOAD_MAX - 1]) {
			found = find_payload(h, w, at, i, &f);
			*out = f;
			return found;
		}
	found = find_moved(w, at, &f);
	*out = f;
	return found;
}

struct hook_step hooks_step(struct hooks *h, taddr_t at, taddr_t before)
{
	const struct hooked *w;

	if (detours_are_at(&h->code.detours, at))
		return (struct hook_step){.place = HOOK_STEP_WITHIN};
	if (!hooks_have(h, at))
		return (struct hook_step){.place = HOOK_STEP_ELSEWHERE};
	w = window_of(h, at);
	if (!w || w->trampoline != at)
		return (struct hook_step){.place = HOOK_STEP_WITHIN};
	return (struct hook_step){
		.place = HOOK_STEP_BEGINS,
		.function = w->function,
		.pc = w->addr,
		.is_own = before && detours_lead_from(&h->code.detours, before, w->function)};
}

int hooks_unhook(struct hooks *h, taddr_t function, struct err *err)
{
	if (!detours_give_back(&h->code.detours, function))
		return err_set(err, -EBUSY, "a thread comes back to its code");
	return 0;
}
