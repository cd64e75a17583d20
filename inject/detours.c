#include "inject/detours.h"

#include "inject/codebytes.h"
#include "inject/detourorder.h"

#include <errno.h>
#include <stdlib.h>

void detours_init(struct detours *js, struct proc *p)
{
	*js = (struct detours){.proc = p};
}

void detours_release(struct detours *js)
{
	if (!js->refs || !--*js->refs) {
		free(js->v);
		free(js->refs);
	}
	*js = (struct detours){.proc = js->proc};
}

/* They are about to change: a copy of those that other processes have as well. */
static void own(struct detours *js)
{
	struct detour *v = js->v;

	if (!js->refs)
		return;
	if (--*js->refs) {
		js->v = xcalloc(js->room + 1, sizeof(*v));
		if (js->n)
			memcpy(js->v, v, js->n * sizeof(*v));
	} else {
		free(js->refs);
	}
	js->refs = NULL;
}

void detours_expect(struct detours *js, size_t n)
{
	own(js);
	if (js->n + n <= js->room)
		return;
	js->room = MAX(js->n + n, MAX(2 * js->room, 256U));
	js->v = xrealloc(js->v, js->room * sizeof(*js->v));
}

void detours_add(struct detours *js, const struct detour *j)
{
	detours_expect(js, 1);
	js->ncalls += j->is_call;
	js->v[js->n] = *j;
	js->v[js->n].state = DETOUR_PENDING;
	js->v[js->n].is_stood = false;
	js->v[js->n++].note = -1;
}

static void block(struct detour *j, const char *why)
{
	j->state = DETOUR_BLOCKED;
	j->why = why;
}

/* By somebody who goes on from there, as soon as the process does. */
static void block_for_now(struct detour *j, const char *why)
{
	block(j, why);
	j->is_for_now = true;
}

/* The page becomes the process's own now, not while its threads wait: the same byte is written. */
static void touch(struct proc *p, taddr_t addr)
{
	uint8_t byte;

	if (proc_read_code(p, addr, &byte, 1) == 1)
		proc_write_code(p, addr, &byte, 1);
}

void detours_prepare(struct detours *js)
{
	size_t n = js->n - js->nwritten;
	bool is_still = proc_is_still(js->proc);
	struct detour *v;

	own(js);
	v = js->v + js->nwritten;
	detours_sort(v, n);
	for (size_t i = 0; i < n; i++) {
		v[i].note = proc_note_detour(js->proc, v[i].addr, v[i].orig, v[i].code, v[i].len);
		if (v[i].note < 0)
			block(&v[i], "there is no room left to note what it replaces");
		if (!is_still && (i == 0 || v[i].addr / PAGE != v[i - 1].addr / PAGE))
			touch(js->proc, v[i].addr);
	}
}

/* ---- who stands there ---- */

struct standing {
	struct detour *v; /* by address */
	size_t n;
};

/* The one that is to be written, and that a thread cannot run into from there: behind its first
 * byte, or at that of one among instructions that run elsewhere. */
static struct detour *find(const struct standing *s, taddr_t pc)
{
	size_t lo = 0, hi = s->n;
	struct detour *j;

	while (lo < hi) { /* the last one that does not begin behind that */
		size_t mid = lo + (hi - lo) / 2;

		if (s->v[mid].addr < pc + s->v[mid].is_inside)
			lo = mid + 1;
		else
			hi = mid;
	}
	j = lo ? &s->v[lo - 1] : NULL;
	return j && j->state == DETOUR_PENDING && pc < j->addr + j->len ? j : NULL;
}

/* A jump that begins there, and replaces instructions that come behind the one there. */
static struct detour *find_longer(const struct standing *s, taddr_t pc)
{
	struct detour *j = find(s, pc + 1);

	if (!j || j->addr != pc || j->is_call || j->is_island)
		return NULL;
	for (unsigned i = 1; i < j->len; i++)
		if (j->new_offset[i])
			return j;
	return NULL;
}

/* A handler of a fault may go on behind the instruction that it was called for. */
static void block_word(taddr_t word, bool is_saved_pc, void *arg)
{
	struct detour *j = find(arg, word);

	if (!j && is_saved_pc)
		j = find_longer(arg, word);
	if (j)
		(is_saved_pc ? block_for_now : block)(j, "a thread comes back to its first bytes");
}

static uint16_t new_offset_of(const struct detour *j, taddr_t pc)
{
	return j->trampoline ? j->new_offset[pc - j->addr] : 0;
}

/* One that cannot be moved may be stopped behind a trap of an int3. */
static void block_for(struct thread *t, void *arg)
{
	bool can_move = thread_can_move(t);
	struct detour *j;
	taddr_t pc;

	if (!thread_pc(t, &pc))
		return; /* it has ended */
	j = find(arg, pc);
	if (j && !(can_move && new_offset_of(j, pc)))
		block_for_now(j, "a thread stands in its first bytes");
	if (!can_move)
		block_word(pc - 1, false, arg);
}

static void move_for(struct thread *t, void *arg)
{
	const struct detour *j;
	taddr_t pc;

	if (!thread_can_move(t) || !thread_pc(t, &pc))
		return;
	j = find(arg, pc);
	if (j)
		thread_move(t, j->trampoline + new_offset_of(j, pc));
}

/* What blocks one detour of a function blocks them all. A call blocks nothing but itself. */
static void block_whole_functions(struct detour *v, size_t n)
{
	struct hash blocked;

	hash_init(&blocked);
	for (size_t i = 0; i < n; i++)
		if (v[i].state == DETOUR_BLOCKED && !v[i].is_call)
			hash_put(&blocked, v[i].function, (void *)(uintptr_t)v[i].why);
	for (size_t i = 0; i < n && blocked.n; i++) {
		const char *why = hash_get(&blocked, v[i].function);

		if (why)
			block(&v[i], why);
	}
	hash_release(&blocked);
}

/* Functions that share code may want the same bytes, each for its own: neither gets them. */
static void block_overlaps(struct detour *v, size_t n)
{
	static const char why[] = "another function needs the same bytes";

	for (size_t i = 0; i + 1 < n; i++) {
		struct detour *a = &v[i], *b = &v[i + 1];

		if (a->addr + a->len <= b->addr)
			continue;
		if (a->is_call || !b->is_call)
			block(a, why);
		if (b->is_call || !a->is_call)
			block(b, why);
	}
}

/* ---- bytes ---- */

static bool is_as_wanted(const struct detour *j, const uint8_t *now, enum detour_state is)
{
	if (is == DETOUR_ON)
		return !memcmp(now, j->code, j->len);
	return !memcmp(now, j->window ? j->window : j->orig, detour_size(j));
}

/* Why what stands there is not what is wanted. */
static const char *why_not(const struct detours *js, const struct detour *j)
{
	return bkpt_is_in(js->proc, j->addr, j->addr + detour_size(j))
		       ? "a breakpoint stands there"
		       : "its code differs from the file";
}

/* Blocks those that others have changed: `from` must stand there. */
static void check(struct detours *js, struct detour *v, size_t n, enum detour_state is,
		  struct codebytes *read)
{
	struct stretch s;

	for (size_t i = 0; i < n; i += s.n) {
		s = stretch_next(js->proc, v + i, n - i);
		for (size_t k = i; k < i + s.n; k++)
			if (!s.bytes || !is_as_wanted(&v[k], &s.bytes[v[k].addr - v[i].addr], is))
				block(&v[k], why_not(js, &v[k]));
		codebytes_keep(read, s);
	}
}

/* Those of pages that follow each other; bytes: from the first one's on; NULL: they cannot be read.
 * False: they cannot be written. */
static bool replace_run(struct detours *js, struct detour *v, size_t n, enum detour_state is,
			uint8_t *bytes)
{
	size_t len = 0;

	for (size_t i = 0; bytes && i < n; i++) {
		size_t from = v[i].addr - v[0].addr;

		len = MAX(len, from + v[i].len);
		if (v[i].state == is)
			memcpy(&bytes[from], is == DETOUR_ON ? v[i].orig : v[i].code, v[i].len);
	}
	if (!bytes || proc_write_code(js->proc, v[0].addr, bytes, len))
		return false;
	for (size_t i = 0; i < n; i++)
		if (v[i].state == is && is == DETOUR_PENDING)
			v[i].state = DETOUR_ON;
		else if (v[i].state == is)
			block(&v[i], "its code cannot be written");
	return true;
}

static void replace_pages(struct detours *js, struct detour *v, const struct stretch *s,
			  enum detour_state is)
{
	for (size_t k = 0, n; k < s->n; k += n) {
		n = codebytes_run(v + k, s->n - k);
		if (replace_run(js, v + k, n, is,
				s->bytes ? s->bytes + (v[k].addr - v[0].addr) : NULL))
			continue;
		for (size_t i = k; i < k + n; i++)
			if (v[i].state == is)
				block(&v[i], "its code cannot be written");
	}
}

/* One write a stretch, or, where not all of one can be written, a page. Since they were looked at
 * nobody else has written: the threads stand still. */
static void replace(struct detours *js, struct detour *v, enum detour_state is,
		    struct codebytes *read)
{
	for (size_t i = 0; i < read->n; i++) {
		struct stretch *s = &read->v[i];

		if (!s->bytes)
			stretch_read(js->proc, s, v);
		if (!replace_run(js, v, s->n, is, s->bytes))
			replace_pages(js, v, s, is);
		v += s->n;
	}
}

static void see_standing(struct thread *t, void *arg)
{
	struct detour *j;
	taddr_t pc;

	if (thread_pc(t, &pc) && (j = find(arg, pc)))
		j->is_stood = true;
}

/* What was found the last time may be so no longer. */
static void look_anew(struct detour *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		v[i].is_stood = false;
		if (v[i].is_for_now)
			v[i].state = DETOUR_PENDING;
		v[i].is_for_now = false;
	}
}

bool detours_look(struct detours *js)
{
	struct detour *v = js->v + js->nwritten;
	size_t n = js->n - js->nwritten;
	struct standing s = {.v = v, .n = n};
	bool is_for_now = false;

	if (!n)
		return true;
	look_anew(v, n);
	proc_each_thread(js->proc, see_standing, &s);
	proc_each_thread(js->proc, block_for, &s);
	proc_stack_words(js->proc, v[0].addr, v[n - 1].addr + JUMP_LEN, block_word, &s);
	for (size_t i = 0; i < n; i++)
		is_for_now |= v[i].is_for_now;
	return !is_for_now;
}

bool detours_may_come(const struct detours *js, taddr_t start, taddr_t end)
{
	for (size_t i = detours_from(js->v, js->nwritten, js->n, start);
	     i < js->n && js->v[i].addr < end; i++)
		if (js->v[i].is_of_image && (js->v[i].state != DETOUR_PENDING || js->v[i].is_stood))
			return false;
	return true;
}

void detours_have_come(struct detours *js, taddr_t start, taddr_t end)
{
	for (size_t i = detours_from(js->v, js->nwritten, js->n, start);
	     i < js->n && js->v[i].addr < end; i++)
		if (js->v[i].is_of_image)
			js->v[i].state = DETOUR_ON;
}

void detours_write(struct detours *js)
{
	size_t non = detours_part(js->v + js->nwritten, js->n - js->nwritten);
	struct detour *v = js->v + js->nwritten + non;
	size_t n = js->n - js->nwritten - non;
	struct standing s = {.v = v, .n = n};
	struct codebytes read = {0};

	if (!n)
		return;
	check(js, v, n, DETOUR_PENDING, &read);
	block_overlaps(v, n);
	block_whole_functions(v, n);
	proc_each_thread(js->proc, move_for, &s);
	replace(js, v, DETOUR_PENDING, &read);
	codebytes_release(&read);
}

/* By address. Others of the process may have gone on since it was copied: what is there counts. */
static size_t count_there(const struct detours *js, const struct detour *v, size_t n,
			  bool *is_there)
{
	size_t nthere = 0;
	struct stretch s;

	for (size_t i = 0; i < n; i += s.n) {
		s = stretch_next(js->proc, v + i, n - i);
		for (size_t k = i; k < i + s.n; k++) {
			is_there[k] =
				s.bytes &&
				is_as_wanted(&v[k], &s.bytes[v[k].addr - v[i].addr], DETOUR_ON);
			nthere += is_there[k];
		}
		free(s.bytes);
	}
	return nthere;
}

static int inherit_some(struct detours *js, const struct detours *from, const bool *is_there)
{
	int32_t note = 0;

	for (size_t i = 0; i < from->n && note >= 0; i++) {
		const struct detour *j = &from->v[i];

		if (!is_there[i])
			continue;
		note = proc_note_detour(js->proc, j->addr, j->orig, j->code, j->len);
		detours_add(js, j);
		js->v[js->n - 1].state = DETOUR_ON;
		js->v[js->n - 1].note = note;
	}
	js->nwritten = js->n;
	if (js->n)
		detours_sort(js->v, js->n);
	return note < 0 ? -ENOSPC : 0;
}

static int inherit_all(struct detours *js, struct detours *from)
{
	if (!proc_share_detours(from->proc, js->proc))
		return -ENOSPC;
	if (!from->refs) {
		from->refs = xcalloc(1, sizeof(*from->refs));
		*from->refs = 1;
	}
	++*from->refs;
	*js = (struct detours){.proc = js->proc,
			       .v = from->v,
			       .n = from->n,
			       .nwritten = from->nwritten,
			       .room = from->room,
			       .ncalls = from->ncalls,
			       .refs = from->refs};
	return 1;
}

int detours_inherit(struct detours *js, struct detours *from)
{
	bool *is_there = xcalloc(from->n + 1, sizeof(*is_there));
	size_t n = count_there(js, from->v, from->nwritten, is_there);
	int r;

	if (n == from->n) {
		r = inherit_all(js, from);
	} else {
		count_there(js, from->v + from->nwritten, from->n - from->nwritten,
			    is_there + from->nwritten);
		r = inherit_some(js, from, is_there);
	}
	free(is_there);
	return r;
}

/* ---- who stands at an island ---- */

struct leaving {
	struct detours *js;
	struct hash kept; /* functions whose detours stay */
};

/* The island that begins there. */
static const struct detour *island_at(const struct detours *js, taddr_t pc)
{
	size_t i = detours_from(js->v, 0, js->nwritten, pc);

	return i < js->nwritten && js->v[i].addr == pc && js->v[i].is_island ? &js->v[i] : NULL;
}

bool detours_are_at(const struct detours *js, taddr_t pc)
{
	return island_at(js, pc);
}

/* What stood there is not what comes next: the long jump does. One that cannot be moved may be
 * stopped behind a trap. */
static void leave_island(struct thread *t, void *arg)
{
	struct leaving *l = arg;
	bool can_move = thread_can_move(t);
	const struct detour *j;
	taddr_t pc;
	int32_t rel;

	if (!thread_pc(t, &pc))
		return; /* it has ended */
	if (!can_move && bkpt_is_in(l->js->proc, pc - 1, pc))
		pc--; /* behind the trap of a breakpoint of ours: it has not come on from there */
	j = island_at(l->js, pc);
	if (j && can_move) {
		memcpy(&rel, j->code + 1, sizeof(rel));
		thread_move(t, j->addr + JUMP_LEN + (taddr_t)(int64_t)rel);
	} else if (j || (!can_move && (j = island_at(l->js, pc - 1)))) {
		hash_put(&l->kept, j->function, l);
	}
}

static void see_word(taddr_t word, bool is_saved_pc, void *arg)
{
	struct leaving *l = arg;
	const struct detour *j = is_saved_pc ? island_at(l->js, word) : NULL;

	if (j)
		hash_put(&l->kept, j->function, l);
}

/* Threads leave the islands, of that function, or (0) of all. */
static void leave_islands(struct leaving *l, struct detours *js, taddr_t function)
{
	taddr_t lo = UINT64_MAX, hi = 0;

	*l = (struct leaving){.js = js};
	hash_init(&l->kept);
	for (size_t i = 0; i < js->nwritten; i++)
		if (js->v[i].is_island && (!function || js->v[i].function == function)) {
			lo = MIN(lo, js->v[i].addr);
			hi = js->v[i].addr + 1;
		}
	if (!hi)
		return;
	proc_each_thread(js->proc, leave_island, l);
	proc_stack_words(js->proc, lo, hi, see_word, l);
}

static bool is_there(struct proc *p, const struct detour *j)
{
	uint8_t now[JUMP_LEN];

	return proc_read_code(p, j->addr, now, j->len) == j->len && !memcmp(now, j->code, j->len);
}

void detours_clean(const struct detours *from, struct proc *copy)
{
	for (size_t i = 0; i < from->n; i++)
		if (is_there(copy, &from->v[i]))
			proc_write_code(copy, from->v[i].addr, from->v[i].orig, from->v[i].len);
}

/* It is not there any more, and goes out of the list. */
static void forget(struct detours *js, const struct detour *j)
{
	js->ncalls -= j->is_call;
	if (j->note >= 0)
		proc_forget_detour(js->proc, j->note);
}

/* False: the process cannot be halted, as it is ending. */
static bool give_back(struct detours *js, size_t i)
{
	bool is_still = proc_is_still(js->proc);

	if (!is_still && proc_halt(js->proc, NULL) < 0)
		return false;
	own(js);
	if (is_there(js->proc, &js->v[i]))
		proc_write_code(js->proc, js->v[i].addr, js->v[i].orig, js->v[i].len);
	if (!is_still)
		proc_go(js->proc);
	forget(js, &js->v[i]);
	memmove(&js->v[i], &js->v[i + 1], (--js->n - i) * sizeof(*js->v));
	js->nwritten--;
	return true;
}

void detours_make_way(struct detours *js, taddr_t start, taddr_t end)
{
	size_t i = detours_from(js->v, 0, js->nwritten, start - JUMP_LEN);

	while (i < js->nwritten && js->v[i].addr < end) {
		const struct detour *j = &js->v[i];
		bool is_in_way = j->is_call && j->addr + j->len > start;

		if (!is_in_way)
			i++;
		else if (!give_back(js, i))
			return;
	}
}

void detours_drop(struct detours *js, void (*fn)(const struct detour *, void *arg), void *arg)
{
	size_t n = js->nwritten;

	if (js->n > n)
		own(js);
	for (size_t i = js->nwritten; i < js->n; i++) {
		if (js->v[i].state == DETOUR_ON) {
			js->v[i].window = NULL;
			js->v[n++] = js->v[i];
			continue;
		}
		forget(js, &js->v[i]);
		if (!js->v[i].is_call)
			fn(&js->v[i], arg);
	}
	detours_sort(js->v, n);
	js->n = js->nwritten = n;
}

void detours_forget(struct detours *js, const struct hash *functions)
{
	size_t n = 0;

	own(js);
	for (size_t i = 0; i < js->n; i++)
		if (hash_get(functions, js->v[i].function))
			forget(js, &js->v[i]);
		else
			js->v[n++] = js->v[i];
	js->nwritten -= js->n - n; /* nothing is pending between two commits */
	js->n = n;
}

/* Instructions run elsewhere for them. */
static bool has_island_inside(const struct detours *js, taddr_t function)
{
	for (size_t i = 0; i < js->nwritten; i++)
		if (js->v[i].function == function && js->v[i].is_inside)
			return true;
	return false;
}

bool detours_give_back(struct detours *js, taddr_t function)
{
	size_t n = 0, nwritten = js->nwritten;
	struct leaving l;
	bool stays;

	leave_islands(&l, js, function);
	stays = hash_get(&l.kept, function);
	hash_release(&l.kept);
	if (stays && has_island_inside(js, function))
		return false;
	own(js);
	for (size_t i = 0; i < js->n; i++) {
		const struct detour *j = &js->v[i];

		if (j->function != function || i >= nwritten || (stays && j->is_island)) {
			js->v[n++] = *j;
			continue;
		}
		if (is_there(js->proc, j))
			proc_write_code(js->proc, j->addr, j->orig, j->len);
		forget(js, j);
		js->nwritten--;
	}
	js->n = n;
	return true;
}

/* What is still there is taken out the next time: it leads to memory that must stay until then. */
static void keep(struct detours *js, const struct hash *kept)
{
	size_t n = 0;

	for (size_t i = 0; i < js->nwritten; i++) {
		struct detour *j = &js->v[i];

		if (!hash_get(kept, j->function) || !is_there(js->proc, j)) {
			forget(js, j);
			continue;
		}
		j->state = DETOUR_ON;
		js->v[n++] = *j;
	}
	js->n = js->nwritten = n;
}

bool detours_take_out(struct detours *js)
{
	struct codebytes read = {0};
	struct leaving l;
	bool all;

	own(js);
	leave_islands(&l, js, 0);
	all = !l.kept.n;
	check(js, js->v, js->nwritten, DETOUR_ON, &read);
	for (size_t i = 0; !all && i < js->nwritten; i++)
		if (hash_get(&l.kept, js->v[i].function))
			block(&js->v[i], "somebody may come back to it");
	replace(js, js->v, DETOUR_ON, &read);
	codebytes_release(&read);
	if (all) {
		proc_forget_detours(js->proc);
		js->n = js->nwritten = js->ncalls = 0;
	} else {
		keep(js, &l.kept);
	}
	hash_release(&l.kept);
	return all;
}
