/* hookpoints.c: windows, and what is to be done at their stops. */
#include "inject/hooks_priv.h"

#include <errno.h>
#include <stdlib.h>

static void forget_clauses(struct hook_point *point)
{
	for (unsigned i = 0; i < point->ncalls; i++) {
		free(point->calls[i].native);
		point->calls[i].native = NULL;
	}
}

void hooks_forget_clauses(struct hooked *w)
{
	for (unsigned i = 0; i < w->nstops; i++)
		forget_clauses(&w->points[i]);
}

void hooks_free_window(struct hooked *w)
{
	if (--w->refs)
		return;
	hooks_forget_clauses(w);
	free(w);
}

struct hooked *hooks_copy_window(const struct hooked *from, taddr_t shift)
{
	size_t size = sizeof(*from) + from->nstops * sizeof(from->points[0]);
	struct hooked *w = xmalloc(size);

	memcpy(w, from, size);
	w->refs = 1;
	w->next = NULL;
	w->addr += shift;
	w->function += shift;
	w->bias += shift;
	w->trampoline += shift;
	w->island += w->island ? shift : 0;
	w->host += w->host ? shift : 0;
	for (unsigned i = 0; i < w->nstops; i++)
		w->points[i].window = w;
	return w;
}

/* ---- which windows there are ---- */

static struct hooked gone; /* stands where one of an older layer is hooked no more */

struct hooked *hooks_window(struct hooks *h, taddr_t addr)
{
	struct hooked *w = hash_get(&h->code.by_addr, addr);

	for (const struct windows *l = h->code.older; l && !w; l = l->older)
		w = hash_get(&l->by_addr, addr);
	if (w || !(w = hooks_image_window(h, addr)))
		return w == &gone ? NULL : w;
	hash_put(&h->code.by_addr, addr, w);
	return w;
}

void hooks_forget_window(struct hooks *h, struct hooked *w)
{
	bool is_own = hash_get(&h->code.by_addr, w->addr) == w;

	hooks_forget_trampolines(h);
	if (h->code.older ||
	    h->code.nuses) /* what is put in its place does not disturb who visits all */
		hash_put(&h->code.by_addr, w->addr, &gone);
	else
		hash_del(&h->code.by_addr, w->addr);
	if (is_own)
		hooks_free_window(w);
}

struct hooked *hooks_each_window(struct hooks_each *e)
{
	const struct hash *now = e->layer ? &e->layer->by_addr : &e->h->code.by_addr;
	struct hooked *w;

	for (;;) {
		while ((w = hash_each(now, &e->i, NULL)))
			if (w != &gone && hooks_window(e->h, w->addr) == w)
				return w;
		e->layer = e->layer ? e->layer->older : e->h->code.older;
		if (!e->layer)
			return NULL;
		now = &e->layer->by_addr;
		e->i = 0;
	}
}

static void let_go(struct windows *l)
{
	while (l && !--l->refs) {
		struct windows *older = l->older;
		struct hooked *w;

		for (size_t i = 0; (w = hash_each(&l->by_addr, &i, NULL));)
			if (w != &gone)
				hooks_free_window(w);
		hash_release(&l->by_addr);
		free(l);
		l = older;
	}
}

/* All that there are, in one layer. */
static struct windows *merged(struct hooks *h)
{
	struct windows *l = xcalloc(1, sizeof(*l));
	struct hooked *w;

	*l = (struct windows){.refs = 1, .depth = 1};
	hash_init(&l->by_addr);
	hooks_unfold_images(h);
	for (struct hooks_each e = {.h = h}; (w = hooks_each_window(&e));) {
		hash_put(&l->by_addr, w->addr, w);
		w->refs++;
	}
	return l;
}

static struct windows *topmost(struct hooks *h)
{
	struct windows *l = xcalloc(1, sizeof(*l));

	*l = (struct windows){.refs = 1,
			      .depth = h->code.older ? h->code.older->depth + 1 : 1,
			      .older = h->code.older,
			      .by_addr = h->code.by_addr};
	h->code.older = NULL;
	hash_init(&h->code.by_addr);
	return l;
}

void hooks_share_windows(struct hooks *to, struct hooks *from)
{
	if (from->code.by_addr.n) {
		bool is_deep = from->code.older && from->code.older->depth == LAYERS_MAX;
		struct windows *l = is_deep ? merged(from) : topmost(from);

		hooks_free_windows(from);
		hash_init(&from->code.by_addr);
		from->code.older = l;
	}
	to->code.older = from->code.older;
	if (to->code.older)
		to->code.older->refs++;
}

void hooks_free_windows(struct hooks *h)
{
	struct hooked *w;

	for (size_t i = 0; (w = hash_each(&h->code.by_addr, &i, NULL));)
		if (w != &gone)
			hooks_free_window(w);
	hash_release(&h->code.by_addr);
	let_go(h->code.older);
	h->code.older = NULL;
}

/* ---- what is done there ---- */

/* May the bytes of a window be replaced? What they are, and where threads are, is looked at when
 * that is done. */
static int check_window(struct hooks *h, const struct hooked *w, struct err *err)
{
	detours_make_way(&h->code.detours, w->addr, w->addr + w->size);
	if (bkpt_is_in(h->proc, w->addr, w->addr + w->size))
		return err_set(err, -EBUSY, "a breakpoint stands there");
	if (w->island && bkpt_is_in(h->proc, w->island, w->island + JUMP_LEN))
		return err_set(err, -EBUSY, "something stands in the padding it needs");
	for (unsigned i = 0; i < w->nstops; i++)
		if (w->stops[i].leads_to_ret &&
		    bkpt_is_in(h->proc, hooks_passed_ret(w, i), hooks_passed_ret(w, i) + 1))
			return err_set(err, -EBUSY, "a breakpoint stands there");
	return 0;
}

/* NULL: it is called. */
static const struct native_record *as_record(const struct hooks *h, const struct area *a,
					     const struct call *c, struct native_record *out)
{
	const struct hook_site *site = &h->site.v[c->number];

	if (!c->has_room || h->is_selfclaim || c->function != HOOK_FN_RECORD ||
	    !native_can_record(site, hooks_shared(h)->has_rdpid))
		return NULL;
	*out = (struct native_record){.site = site,
				      .number = c->number,
				      .function = hooks_function(h, a, HOOK_FN_RECORD),
				      .leave = hooks_function(h, a, HOOK_FN_LEAVE)};
	return out;
}

static struct payloads payloads_of(const struct hooks *h, const struct hook_point *point,
				   struct native_record records[PAYLOAD_MAX])
{
	const struct area *a = &h->code.areas[point->window->area];
	struct payloads ps = {0};

	if (point->counts)
		ps.v[ps.n++] =
			(struct payload){.kind = PAYLOAD_COUNT, .cell = CELL_AT(point->cell)};
	for (unsigned i = 0; i < point->ncalls; i++) {
		const struct call *c = &point->calls[i];

		ps.v[ps.n++] = (struct payload){.kind = c->native ? PAYLOAD_NATIVE : PAYLOAD_CALL,
						.function = hooks_function(h, a, c->function),
						.number = c->number,
						.record = as_record(h, a, c, &records[i]),
						.native = c->native};
	}
	return ps;
}

int hooks_emit(struct hooks *h, struct hooked *w, taddr_t to, struct reloc *trampoline,
	       struct err *err)
{
	const struct area *a = &h->code.areas[w->area];
	struct payloads payloads[RELOC_STOPS];
	struct native_record records[RELOC_STOPS][PAYLOAD_MAX];
	struct trampoline_request sr = {.moved = {.bytes = w->bytes,
						  .n = w->size,
						  .from = w->addr,
						  .to = to,
						  .need = w->size,
						  .stops = w->stops,
						  .nstops = w->nstops},
					.payloads = payloads,
					.map = &w->map,
					.keeps_flags_and_redzone = w->keeps_flags_and_redzone,
					.word = h->tls.word,
					.take_block = hooks_take_block(h, a)};

	for (unsigned i = 0; i < w->nstops; i++)
		payloads[i] = payloads_of(h, &w->points[i], records[i]);
	return trampoline_emit(&sr, trampoline, err);
}

static struct hooked *new_window(const struct hook_request *rq)
{
	const struct window *win = rq->window;
	struct hooked *w = xcalloc(1, sizeof(*w) + win->nstops * sizeof(w->points[0]));

	w->refs = 1;
	w->addr = rq->addr;
	w->function = rq->function;
	w->island = win->island ? win->island + rq->bias : 0;
	w->host = win->is_hosted ? rq->addr + (taddr_t)(win->host - win->off) : 0;
	w->nislands = win->nislands;
	w->size = win->size;
	memcpy(w->bytes, win->bytes, win->size);
	w->keeps_flags_and_redzone = rq->keeps_flags_and_redzone;
	w->scan = rq->scan;
	w->bias = rq->bias;
	w->nstops = win->nstops;
	memcpy(w->stops, win->stops, sizeof(w->stops));
	for (unsigned i = 0; i < w->nstops; i++)
		w->points[i].window = w;
	return w;
}

static unsigned payload_room(const struct hook_request *rq)
{
	const struct window *w = rq->window;
	unsigned n = 0;

	for (unsigned i = 0; i < w->nstops; i++)
		n += w->stops[i].is_offset && rq->insns_count ? 1 : PAYLOAD_MAX;
	return n * PAYLOAD_SIZE;
}

static int add_window(struct hooks *h, struct hooked *w, const struct hook_request *rq,
		      struct err *err)
{
	struct reloc trampoline;
	struct area *a;
	int r = hooks_area_near(h, w->addr, err);

	if (r < 0)
		return r;
	w->area = (unsigned)r;
	a = &h->code.areas[r];
	r = hooks_emit(h, w, a->start + a->used, &trampoline, err);
	if (!r)
		r = check_window(h, w, err);
	if (r)
		return r;
	w->native_room = h->table.clock ? NATIVE_ROOM : 0;
	w->promised = trampoline.len + payload_room(rq) + 16 + w->native_room;
	a->promised += w->promised;
	*h->code.unwritten_tail = w;
	h->code.unwritten_tail = &w->next;
	hash_put(&h->code.by_addr, w->addr, w);
	for (unsigned i = 0; i < w->nstops; i++)
		if (w->stops[i].leads_to_ret)
			hooks_note_passed(h, hooks_passed_ret(w, i), w->addr);
	return 0;
}

/* Another plan may have made it; what lies in it must have room in it. */
static bool is_same_window(const struct hooked *w, const struct window *win)
{
	bool is_same = w->nstops == win->nstops;

	for (unsigned i = 0; i < w->nstops && is_same; i++)
		is_same = reloc_stop_is_same(&w->stops[i], &win->stops[i]);
	return is_same &&
	       (!win->nislands || (w->nislands == win->nislands && w->size >= win->size));
}

int hooks_add(struct hooks *h, const struct hook_request *rq,
	      struct hook_point *points[RELOC_STOPS], struct err *err)
{
	struct hooked *w = hooks_window(h, rq->addr);
	int r;

	if (w && !is_same_window(w, rq->window))
		return err_set(err, -EBUSY, "it is hooked already for something else");
	if (!w) {
		w = new_window(rq);
		r = add_window(h, w, rq, err);
		if (r) {
			free(w);
			return r;
		}
	}
	for (unsigned i = 0; i < w->nstops; i++)
		points[i] = &w->points[i];
	return 0;
}

static int is_too_late(const struct hook_point *point, struct err *err)
{
	return point->window->is_written
		       ? err_set(err, -EBUSY, "it is hooked already for something else")
		       : 0;
}

int hooks_count_at(struct hooks *h, struct hook_point *point, uint32_t *cell, struct err *err)
{
	int r = 0;

	if (!point->counts) {
		r = is_too_late(point, err);
		if (!r)
			r = hooks_new_cell(h, &point->cell, err);
		if (r)
			return r;
		point->counts = true;
	}
	*cell = point->cell;
	return 0;
}

int hooks_count_in(struct hook_point *point, uint32_t cell, struct err *err)
{
	int r = is_too_late(point, err);

	if (point->counts && point->cell == cell)
		return 0;
	if (!r && point->counts)
		r = err_set(err, -EBUSY, "it is counted already");
	if (!r) {
		point->counts = true;
		point->cell = cell;
	}
	return r;
}

/* Room for a record in the trampoline. */
static bool promise_record(struct hooks *h, struct hooked *w)
{
	struct area *a = &h->code.areas[w->area];

	if (!hooks_has_room(a, NATIVE_RECORD) || w->nnative + NATIVE_RECORD > NATIVE_MAX)
		return false;
	a->promised += NATIVE_RECORD;
	w->promised += NATIVE_RECORD;
	w->nnative += NATIVE_RECORD;
	return true;
}

int hooks_call_at(struct hooks *h, struct hook_point *point, enum hook_function fn, uint32_t number,
		  struct err *err)
{
	bool has_room;
	unsigned i = 0;
	int r = is_too_late(point, err);

	if (r)
		return r;
	while (i < point->ncalls && (point->calls[i].native || point->calls[i].number != number))
		i++;
	if (i == ARRAY_SIZE(point->calls))
		return err_set(err, -ENOSPC, "too many probes at one address");
	has_room = fn == HOOK_FN_RECORD && ((i < point->ncalls && point->calls[i].has_room) ||
					    promise_record(h, point->window));
	point->calls[i] = (struct call){.function = fn, .number = number, .has_room = has_room};
	point->ncalls = MAX(point->ncalls, i + 1);
	return 0;
}

bool hooks_calls_at(const struct hook_point *point, enum hook_function fn, uint32_t *number)
{
	for (unsigned i = 0; i < point->ncalls; i++)
		if (!point->calls[i].native && point->calls[i].function == fn) {
			*number = point->calls[i].number;
			return true;
		}
	return false;
}

/* A native clause takes of the room that was promised for the native clauses of its window; its
 * code will be part of the trampoline. */
static void use_room(struct area *a, struct hooked *w, unsigned data, unsigned code)
{
	unsigned paid = MIN(data + code, w->native_room), promised = w->promised;

	w->native_room -= paid;
	w->promised = promised - paid + code;
	w->nnative += code;
	a->promised = a->promised - promised + w->promised;
	a->used += data;
}

int hooks_clause_at(struct hooks *h, struct hook_point *point, native_clause_fn *fn, void *arg,
		    struct err *err)
{
	struct hooked *w = point->window;
	struct area *a = &h->code.areas[w->area];
	unsigned taken = a->used + a->promised - w->native_room, size = 0;
	unsigned room = taken < a->size ? a->size - taken : 0;
	struct native_clause *p;
	int r = is_too_late(point, err);

	if (r)
		return r;
	p = xcalloc(1, sizeof(*p));
	p->context = (struct native_context){.word = h->tls.word,
					     .take_block = hooks_take_block(h, a),
					     .keeps_flags_and_redzone = w->keeps_flags_and_redzone,
					     .frame = NATIVE_ANY_FRAME};
	p->clock = h->table.clock;
	p->has_rdpid = hooks_has_rdpid();
	p->table_words = h->table.given.words;
	p->aggregate = hooks_function(h, a, HOOK_FN_AGGREGATE);
	p->record = hooks_function(h, a, HOOK_FN_RECORD);
	p->stack_key = hooks_function(h, a, HOOK_FN_STACK_KEY);
	p->read = hooks_function(h, a, HOOK_FN_READ);
	p->load = hooks_function(h, a, HOOK_FN_LOAD_ELEMENT);
	p->store = hooks_function(h, a, HOOK_FN_STORE_ELEMENT);
	p->tuple = hooks_function(h, a, HOOK_FN_TUPLE);
	p->vtime = hooks_function(h, a, HOOK_FN_VTIME);
	p->record_full = hooks_function(h, a, HOOK_FN_RECORD_FULL);
	p->at = a->start + a->used;
	p->aggs = (void *)(a->code + a->used);
	p->naggs = room / sizeof(*p->aggs);
	r = point->ncalls < ARRAY_SIZE(point->calls) ? fn(arg, p) : -ENOSPC;
	if (!r) {
		size = (unsigned)ROUND_UP(p->naggs * sizeof(*p->aggs), 16);
		if (size + p->code.len > room || w->nnative + p->code.len > NATIVE_MAX)
			r = -ENOSPC;
	}
	if (!r) {
		point->calls[point->ncalls++] = (struct call){.function = HOOK_FN_AGGREGATE,
							      .native = native_dup(&p->code)};
		use_room(a, w, size, p->code.len);
	}
	free(p);
	return r ? err_set(err, r, "too many probes at one address") : 0;
}

/* ---- what windows lead past ---- */

taddr_t hooks_passed_ret(const struct hooked *w, unsigned stop)
{
	return w->addr + (taddr_t)(int64_t)w->stops[stop].ret;
}

void hooks_note_passed(struct hooks *h, taddr_t ret, taddr_t window)
{
	hash_put(&h->code.passed, ret, (void *)(uintptr_t)window);
}

/* Such windows of a function are all there, or none. */
static bool is_passed(struct hooks *h, taddr_t ret)
{
	taddr_t window = (uintptr_t)hash_get(&h->code.passed, ret);

	return window && hooks_window(h, window) && detours_begin_at(&h->code.detours, window);
}

int hooks_make_way(struct hooks *h, taddr_t addr, struct err *err)
{
	if (is_passed(h, addr))
		return err_set(err, -EBUSY, "a hook has replaced what leads to it");
	detours_make_way(&h->code.detours, addr, addr + JUMP_LEN);
	for (unsigned off = 1; off < RELOC_WINDOW_MAX; off++) {
		const struct hooked *w = NULL;

		if (detours_begin_at(&h->code.detours, addr - off))
			w = hooks_window(h, addr - off);
		if (w && w->size > off)
			return err_set(err, -EBUSY, "a hook has replaced its instruction");
	}
	return 0;
}

struct hook_point *hooks_point_at(struct hooks *h, taddr_t addr)
{
	struct hooked *w = hooks_window(h, addr);

	return w && w->nstops && !w->stops[0].off ? &w->points[0] : NULL;
}

void hooks_clear_at(struct hook_point *point)
{
	point->counts = false;
	forget_clauses(point);
	point->ncalls = 0;
}
