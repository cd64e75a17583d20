/* hookcommit.c: windows are written, and forgotten. */
#include "inject/hooks_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/pulse.h"

#define LINE	  64U	  /* of the cache: a trampoline that fits into one lies in one */
#define CALL_LEN  6	  /* of the longest that leads to a function */
#define CALLS_MAX 200000U /* that lead to trampolines */
#define SOME	  16384U  /* of them: pages that have no window are copied for them, too */
#define LOOKS	  8U	  /* for a moment in which nobody is in the way of a jump */
#define LOOK_NS	  200000U

/* Threads that stand there are among the instructions of that window. */
static void put_inside(const struct hooked *host, struct detour *island)
{
	island->is_inside = true;
	island->trampoline = host->trampoline;
	memcpy(island->new_offset, host->new_offset + (island->addr - host->addr),
	       sizeof(island->new_offset));
}

static int add_detours(struct hooks *h, const struct hooked *w)
{
	const struct hooked *host = w->host ? hooks_window(h, w->host) : NULL;
	struct detour last = {.addr = w->addr,
			      .len = JUMP_LEN,
			      .window = w->bytes,
			      .window_size = (uint8_t)w->size,
			      .function = w->function};
	struct detour island = {
		.addr = w->island, .len = JUMP_LEN, .function = w->function, .is_island = true};
	int r;

	if (w->island) {
		last.len = SHORT_JUMP_LEN;
		r = trampoline_jump(w->island, w->trampoline, island.code);
		if (!r)
			r = trampoline_short_jump(w->addr, w->island, last.code);
		if (!r && proc_read_code(h->proc, w->island, island.orig, JUMP_LEN) != JUMP_LEN)
			r = -EFAULT;
		if (host)
			put_inside(host, &island);
	} else {
		r = trampoline_jump(w->addr, w->trampoline, last.code);
	}
	if (r)
		return r;
	memcpy(last.orig, w->bytes, last.len);
	last.trampoline = w->trampoline;
	memcpy(last.new_offset, w->new_offset, sizeof(last.new_offset));
	detours_add(&h->code.detours, &last);
	if (w->island)
		detours_add(&h->code.detours, &island);
	return 0;
}

/* Nothing else is to stand there. */
static bool is_free(const struct hooks *h, const struct hooked *w, taddr_t end)
{
	return codescan_is_free(w->scan, end - sizeof(int32_t), sizeof(int32_t)) &&
	       !bkpt_is_in(h->proc, end - CALL_LEN + w->bias, end + w->bias);
}

/* Those that are left come by the detour. */
static void add_calls(struct hooks *h, const struct hooked *w)
{
	taddr_t function = w->function - w->bias;
	unsigned n;
	const struct codecall *calls = codescan_calls(w->scan, function, &n);

	for (unsigned i = 0; i < n && h->code.detours.ncalls < CALLS_MAX; i++) {
		taddr_t end = w->scan->lo + calls[i].end;
		struct detour j = {
			.len = sizeof(int32_t), .function = w->function, .is_call = true};
		int64_t to = (int64_t)(w->trampoline - w->bias - end);
		int32_t now = (int32_t)to, orig = (int32_t)(function - end);

		if (now != to || !codescan_is_call(w->scan, &calls[i]) || !is_free(h, w, end))
			continue;
		j.addr = end + w->bias - sizeof(now);
		memcpy(j.code, &now, sizeof(now));
		memcpy(j.orig, &orig, sizeof(orig));
		detours_add(&h->code.detours, &j);
	}
}

static void put_off_calls(struct hooks *h, taddr_t window)
{
	if (h->code.late_calls.n == h->code.late_calls.room) {
		h->code.late_calls.room =
			h->code.late_calls.room ? 2 * h->code.late_calls.room : 256;
		h->code.late_calls.v =
			xrealloc(h->code.late_calls.v, h->code.late_calls.room * sizeof(taddr_t));
	}
	h->code.late_calls.v[h->code.late_calls.n++] = window;
}

static bool has_work(const struct hooked *w)
{
	for (unsigned i = 0; i < w->nstops; i++)
		if (w->points[i].counts || w->points[i].ncalls)
			return true;
	return w->is_needed;
}

/* All that could fail has been tried when the window was added. */
static int finish_trampoline(struct hooks *h, struct hooked *w, struct err *err)
{
	struct area *a = &h->code.areas[w->area];
	struct reloc trampoline;
	int r = hooks_emit(h, w, a->start + a->used, &trampoline, err);

	if (!r && trampoline.usual <= LINE && a->used % LINE + trampoline.usual > LINE) {
		a->used = ROUND_UP(a->used, LINE);
		r = hooks_emit(h, w, a->start + a->used, &trampoline, err);
	}
	if (r)
		return r;
	memcpy(a->code + a->used, trampoline.code, trampoline.len);
	memcpy(w->new_offset, trampoline.new_offset, sizeof(w->new_offset));
	w->trampoline = a->start + a->used;
	w->trampoline_len = trampoline.len;
	a->used += ROUND_UP(trampoline.len, 32);
	w->is_written = true;
	hooks_forget_clauses(w);
	return 0;
}

static void need_hosts(struct hooks *h)
{
	for (struct hooked *w = h->code.unwritten; w; w = w->next)
		if (w->host && has_work(w))
			hooks_window(h, w->host)->is_needed = true;
}

/* Those that have work to do, as a list of their own. */
static int finish_trampolines(struct hooks *h, struct hooked **written, struct err *err)
{
	int r = 0;

	while (h->code.unwritten && !r) {
		struct hooked *w = h->code.unwritten;

		pulse();
		h->code.unwritten = w->next;
		h->code.areas[w->area].promised -= w->promised;
		if (!has_work(w)) {
			hooks_forget_window(h, w);
			continue;
		}
		r = finish_trampoline(h, w, err);
		w->next = NULL;
		*written = w;
		written = &w->next;
	}
	if (!h->code.unwritten)
		h->code.unwritten_tail = &h->code.unwritten;
	return r;
}

/* An island is told of the window around it: all trampolines are there. */
static int finish_windows(struct hooks *h, struct err *err)
{
	struct hooked *written = NULL;
	int r;

	need_hosts(h);
	r = finish_trampolines(h, &written, err);
	for (struct hooked *w = written; w && !r; w = w->next) {
		r = add_detours(h, w);
		if (r || w->addr != w->function)
			continue;
		if (h->code.puts_calls_off)
			put_off_calls(h, w->addr);
		else
			add_calls(h, w);
	}
	return r;
}

static int write_trampolines(struct hooks *h, struct err *err)
{
	int r = 0;

	for (unsigned i = 0; i < h->code.nareas && !r; i++) {
		struct area *a = &h->code.areas[i];

		r = proc_write_code(h->proc, a->start + a->written, a->code + a->written,
				    a->used - a->written);
		a->written = a->used;
	}
	return r ? err_set(err, r, "its memory cannot be written: %s", strerror(-r)) : 0;
}

/* *again: somebody is in the way who will have gone on if it runs for a moment. */
static int try_jumps(struct hooks *h, bool *again, struct err *err)
{
	int r = hooks_adopt_threads(h, err);

	if (r)
		return r;
	hooks_learn_stacks(h);
	*again = !detours_look(&h->code.detours) && *again;
	if (*again)
		return 0;
	hooks_map_copies(h);
	detours_write(&h->code.detours);
	return 0;
}

/* A process that runs is stopped for this, and for nothing else. */
static int write_jumps(struct hooks *h, struct err *err)
{
	const struct timespec nap = {.tv_nsec = LOOK_NS};
	bool is_still = proc_is_still(h->proc), again = !is_still;
	int r = 0;

	for (unsigned i = 0; i == 0 || (again && !r); i++) {
		if (i)
			nanosleep(&nap, NULL);
		r = is_still ? 0 : proc_halt(h->proc, err);
		if (r)
			return r;
		again = !is_still && i + 1 < LOOKS;
		r = try_jumps(h, &again, err);
		if (!is_still)
			proc_go(h->proc);
	}
	return r;
}

struct dropping {
	struct hooks *h;
	hooks_blocked_fn *blocked;
	void *arg;
};

/* The threads have blocks, and the journal knows of them, before one is written. */
static int write_detours(struct hooks *h, struct err *err)
{
	int r;

	if (h->code.detours.n == h->code.detours.nwritten)
		return 0;
	detours_prepare(&h->code.detours);
	r = hooks_prepare_blocks(h, err);
	return r ? r : write_jumps(h, err);
}

static void drop(const struct detour *j, void *arg)
{
	const struct dropping *d = arg;
	struct hooked *w = hooks_window(d->h, j->addr);

	if (w)
		hooks_forget_window(d->h, w);
	d->blocked(j->function, j->why ? j->why : "its code cannot be written", d->arg);
}

/* Trampolines first: a detour never leads to where nothing is. */
int hooks_commit(struct hooks *h, hooks_blocked_fn *blocked, void *arg, struct err *err)
{
	struct dropping d = {.h = h, .blocked = blocked, .arg = arg};
	int r;

	hooks_forget_trampolines(h);
	r = finish_windows(h, err);
	if (!r)
		r = write_trampolines(h, err);
	if (!r)
		r = write_detours(h, err);
	detours_drop(&h->code.detours, drop, &d);
	return r;
}

/* It has gone since, or is not written. */
static void add_late_calls(struct hooks *h, taddr_t addr)
{
	const struct hooked *w = hooks_window(h, addr);

	if (w && w->is_written)
		add_calls(h, w);
}

/* What is in the way of a call leaves it as it is. */
static void drop_call(const struct detour *j UNUSED, void *arg UNUSED)
{
}

bool hooks_lead_calls(struct hooks *h)
{
	struct detours *js = &h->code.detours;
	size_t before = js->n;
	struct err err;

	hooks_lead_images(h, put_off_calls);
	while (h->code.late_calls.n && js->n - before < SOME)
		add_late_calls(h, h->code.late_calls.v[--h->code.late_calls.n]);
	if (write_detours(h, &err))
		h->code.late_calls.n = 0;
	detours_drop(js, drop_call, NULL);
	h->code.puts_calls_off &= hooks_have_late_calls(h);
	return h->code.puts_calls_off;
}

bool hooks_have_late_calls(const struct hooks *h)
{
	return h->code.late_calls.n || hooks_have_unled_images(h);
}

static void forget_unwritten(struct hooks *h, const struct hash *functions)
{
	struct hooked **at = &h->code.unwritten, *w;

	while ((w = *at))
		if (hash_get(functions, w->function)) {
			h->code.areas[w->area].promised -= w->promised;
			*at = w->next;
		} else {
			at = &w->next;
		}
	h->code.unwritten_tail = at;
}

/* What its code counted in is free for others. All returns of a function count in one cell. */
static void free_numbers(struct hooks *h, const struct hooked *w, struct hash *cells)
{
	for (unsigned i = 0; i < w->nstops; i++) {
		const struct hook_point *point = &w->points[i];

		if (point->counts)
			hash_put(cells, point->cell, h);
		for (unsigned k = 0; k < point->ncalls; k++) {
			const struct call *c = &point->calls[k];

			if (c->function == HOOK_FN_AGGREGATE || c->function == HOOK_FN_DLOPEN)
				continue;
			hash_put(cells, h->site.v[c->number].drops_cell, h);
			numbers_give_back(&h->site.free_sites, c->number);
		}
	}
}

void hooks_unmapped(struct hooks *h, const struct hash *functions)
{
	struct hash cells;
	struct hooked *w;
	uint64_t cell;

	hash_init(&cells);
	h->code.had_unmapped = true;
	forget_unwritten(h, functions);
	hooks_unfold_images(h);
	for (struct hooks_each e = {.h = h}; (w = hooks_each_window(&e));)
		if (hash_get(functions, w->function)) {
			free_numbers(h, w, &cells);
			hooks_forget_window(h, w);
		}
	for (size_t i = 0; hash_each(&cells, &i, &cell);)
		numbers_give_back(&h->site.free_cells, (uint32_t)cell);
	hash_release(&cells);
	detours_forget(&h->code.detours, functions);
}
