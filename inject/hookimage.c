#include "inject/hookimage.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "inject/hookobj.h"
#include "inject/hooks_priv.h"

#define ROOM_A_FUNCTION 320U /* what may be promised for a window of one, and its code */
#define MOVED		0x10101010000ULL /* both halves of an address change by that */

/* A piece of the trampolines, with the hook object in front of it. */
struct piece {
	taddr_t start;
	unsigned used;
	uint8_t *code;
	unsigned *code_refs;
};

/* All addresses are those of the process it was made in. */
struct hookimage {
	unsigned refs;
	taddr_t bias;
	uint32_t word; /* of the thread control block */
	struct hooks_part part;
	struct piece *pieces;
	struct hash by_addr;	  /* windows */
	struct hooked **absolute; /* those of them whose code holds addresses ... */
	size_t nabsolute;
	struct detour *detours; /* by address */
	size_t ndetours;
	struct passed {
		taddr_t ret, window;
	} * passed; /* as hooks_note_passed */
	size_t npassed;
	/* The code of all pieces as it was for the last process that has its cells elsewhere: the
	 * next one of its program has them there, too. NULL: there has been none. */
	uint8_t *moved;
	uint32_t moved_cells;
	const struct textcopy *copy; /* of its text, with the detours in it; the run's */
	bool has_no_copy;
};

/* ---- parts ---- */

void hooks_begin_part(struct hooks *h, unsigned nfunctions, struct hooks_part *part)
{
	h->code.first_area = h->code.nareas;
	h->code.expected =
		(unsigned)MIN(nfunctions, UINT32_MAX / 2 / ROOM_A_FUNCTION) * ROOM_A_FUNCTION;
	*part = (struct hooks_part){.area = h->code.nareas, .cell = h->site.ncells};
}

void hooks_end_part(struct hooks *h, struct hooks_part *part)
{
	h->code.first_area = h->code.expected = 0;
	part->end_area = h->code.nareas;
	for (unsigned i = part->area; i < part->end_area; i++)
		h->code.areas[i].is_whole = true;
	part->end_cell = h->site.ncells;
}

/* ---- making one ---- */

/* Where libraries have left, cells that are free and windows that are gone are among others. */
static bool may_have_images(const struct hooks *h)
{
	return !h->is_selfclaim && !h->table.clock && !h->code.had_unmapped &&
	       h->code.puts_calls_off;
}

static bool only_counts(const struct hooked *w, const struct hooks_part *part)
{
	for (unsigned i = 0; i < w->nstops; i++) {
		const struct hook_point *p = &w->points[i];

		if (p->ncalls || (p->counts && (p->cell < part->cell || p->cell >= part->end_cell)))
			return false;
	}
	return w->is_written;
}

/* Does the code of its trampoline differ where all of it lies elsewhere? */
static bool is_absolute(struct hooks *h, const struct hooked *w)
{
	const struct area *a = &h->code.areas[w->area];
	struct hooked *moved = hooks_copy_window(w, MOVED);
	struct reloc code;
	struct err why;
	bool differs = hooks_emit(h, moved, moved->trampoline, &code, &why) ||
		       code.len != w->trampoline_len ||
		       memcmp(code.code, a->code + (w->trampoline - a->start), code.len) != 0;

	free(moved);
	return differs;
}

static void take_passed(struct hookimage *im, const struct hooked *w)
{
	for (unsigned i = 0; i < w->nstops; i++) {
		if (!w->stops[i].leads_to_ret)
			continue;
		im->passed = xrealloc(im->passed, (im->npassed + 1) * sizeof(*im->passed));
		im->passed[im->npassed++] = (struct passed){hooks_passed_ret(w, i), w->addr};
	}
}

static bool take_windows(struct hookimage *im, struct hooks *h)
{
	struct hooked *w;

	for (struct hooks_each e = {.h = h}; (w = hooks_each_window(&e));) {
		if (w->area < im->part.area || w->area >= im->part.end_area)
			continue;
		if (!only_counts(w, &im->part) || w->bias != im->bias)
			return false;
		w->refs++;
		hash_put(&im->by_addr, w->addr, w);
		take_passed(im, w);
	}
	im->absolute = xcalloc(im->by_addr.n + 1, sizeof(*im->absolute));
	for (size_t i = 0; (w = hash_each(&im->by_addr, &i, NULL));)
		if (is_absolute(h, w))
			im->absolute[im->nabsolute++] = w;
	return im->by_addr.n;
}

/* Those that are in its functions. */
static bool take_detours(struct hookimage *im, const struct hooks *h)
{
	const struct detours *js = &h->code.detours;
	struct hash functions;
	const struct hooked *w;
	size_t nwindows = 0;

	hash_init(&functions);
	for (size_t i = 0; (w = hash_each(&im->by_addr, &i, NULL));)
		hash_put(&functions, w->function, im);
	im->detours = xcalloc(js->nwritten + 1, sizeof(*im->detours));
	for (size_t i = 0; i < js->nwritten; i++) {
		struct detour *j = &im->detours[im->ndetours];

		if (js->v[i].is_call || !hash_get(&functions, js->v[i].function))
			continue;
		*j = js->v[i];
		w = j->is_island ? NULL : hash_get(&im->by_addr, j->addr);
		j->window = w ? w->bytes : NULL;
		j->window_size = w ? (uint8_t)w->size : 0;
		nwindows += w != NULL;
		im->ndetours++;
	}
	hash_release(&functions);
	return nwindows == im->by_addr.n;
}

static void take_pieces(struct hookimage *im, const struct hooks *h)
{
	unsigned n = im->part.end_area - im->part.area;

	im->pieces = xcalloc(n + 1, sizeof(*im->pieces));
	for (unsigned i = 0; i < n; i++) {
		const struct area *a = &h->code.areas[im->part.area + i];

		im->pieces[i] = (struct piece){a->start, a->used, a->code, a->code_refs};
		++*a->code_refs;
	}
}

struct hookimage *hookimage_new(struct hooks *h, const struct hooks_part *part, taddr_t bias)
{
	struct hookimage *im;

	if (!may_have_images(h))
		return NULL;
	im = xcalloc(1, sizeof(*im));
	*im = (struct hookimage){.refs = 1, .bias = bias, .word = h->tls.word, .part = *part};
	hash_init(&im->by_addr);
	take_pieces(im, h);
	if (take_windows(im, h) && take_detours(im, h))
		return im;
	hookimage_free(im);
	return NULL;
}

void hookimage_free(struct hookimage *im)
{
	struct hooked *w;

	if (!im || --im->refs)
		return;
	for (size_t i = 0; (w = hash_each(&im->by_addr, &i, NULL));)
		hooks_free_window(w);
	hash_release(&im->by_addr);
	for (unsigned i = 0; i < im->part.end_area - im->part.area; i++)
		hooks_free_code(&(struct area){.code = im->pieces[i].code,
					       .code_refs = im->pieces[i].code_refs});
	free(im->pieces);
	free(im->absolute);
	free(im->moved);
	free(im->passed);
	free(im->detours);
	free(im);
}

/* ---- its windows in another process ---- */

static struct hooked *adapted(const struct image_use *u, const struct hooked *from)
{
	struct hooked *w = hooks_copy_window(from, u->shift);

	w->area += u->area - u->image->part.area;
	w->scan = u->scan;
	for (unsigned k = 0; k < w->nstops; k++)
		w->points[k].cell += w->points[k].counts ? u->cells : 0;
	return w;
}

struct hooked *hooks_image_window(const struct hooks *h, taddr_t addr)
{
	for (unsigned i = 0; i < h->code.nuses; i++) {
		const struct image_use *u = &h->code.uses[i];
		const struct hooked *from = hash_get(&u->image->by_addr, addr - u->shift);

		if (from)
			return adapted(u, from);
	}
	return NULL;
}

void hooks_unfold_images(struct hooks *h)
{
	uint64_t addr;

	for (unsigned i = 0; i < h->code.nuses; i++)
		for (size_t k = 0; hash_each(&h->code.uses[i].image->by_addr, &k, &addr);)
			hooks_window(h, addr + h->code.uses[i].shift);
}

void hooks_share_images(struct hooks *to, const struct hooks *from)
{
	if (!from->code.nuses)
		return;
	to->code.uses = xcalloc(from->code.nuses, sizeof(*to->code.uses));
	to->code.nuses = from->code.nuses;
	for (unsigned i = 0; i < to->code.nuses; i++) {
		to->code.uses[i] = from->code.uses[i];
		to->code.uses[i].is_led = true;
		to->code.uses[i].is_new = false;
		to->code.uses[i].image->refs++;
	}
}

void hooks_leave_images(struct hooks *h)
{
	for (unsigned i = 0; i < h->code.nuses; i++)
		hookimage_free(h->code.uses[i].image);
	free(h->code.uses);
	h->code.uses = NULL;
	h->code.nuses = 0;
}

bool hooks_have_unled_images(const struct hooks *h)
{
	for (unsigned i = 0; i < h->code.nuses; i++)
		if (!h->code.uses[i].is_led)
			return true;
	return false;
}

void hooks_lead_images(struct hooks *h, void (*fn)(struct hooks *, taddr_t window))
{
	const struct hooked *w;

	for (unsigned i = 0; i < h->code.nuses; i++) {
		struct image_use *u = &h->code.uses[i];

		for (size_t k = 0; !u->is_led && (w = hash_each(&u->image->by_addr, &k, NULL));)
			if (w->addr == w->function)
				fn(h, w->addr + u->shift);
		u->is_led = true;
	}
}

/* ---- adding one ---- */

struct searching {
	const struct hookimage *image;
	taddr_t shift;
};

/* Does one of its detours need what stands there, or lead past it? */
static bool needs(taddr_t addr, void *arg)
{
	const struct searching *s = arg;
	const struct hookimage *im = s->image;
	size_t lo = 0, hi = im->ndetours;

	addr -= s->shift;
	while (lo < hi) { /* the last one that does not begin behind that */
		size_t mid = lo + (hi - lo) / 2;

		if (im->detours[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo; i && addr - im->detours[i - 1].addr < RELOC_WINDOW_MAX; i--)
		if (addr - im->detours[i - 1].addr <
		    MAX(im->detours[i - 1].len, im->detours[i - 1].window_size))
			return true;
	for (size_t i = 0; i < im->npassed; i++)
		if (im->passed[i].ret == addr)
			return true;
	return false;
}

static int check(struct hooks *h, const struct hookimage *im, taddr_t shift, struct err *err)
{
	struct searching s = {im, shift};

	if (!may_have_images(h) || im->word != h->tls.word)
		return err_set(err, -EINVAL, "its hooks are of another kind");
	if (!hooks_may_have_cells(h, im->part.end_cell - im->part.cell))
		return err_set(err, -ENOSPC, "no counter is left");
	if (im->ndetours && hooks_are_in(h, im->detours[0].addr + shift,
					 im->detours[im->ndetours - 1].addr + shift + 1))
		return err_set(err, -EBUSY, "it is hooked already");
	if (bkpt_find(h->proc, needs, &s))
		return err_set(err, -EBUSY, "a breakpoint stands there");
	return 0;
}

bool hookimage_is_in_way(const struct hooks *h, const struct image_use *u)
{
	struct searching s = {u->image, u->shift};

	return bkpt_find(h->proc, needs, &s);
}

struct hookimage_detours hookimage_detours(const struct image_use *u)
{
	return (struct hookimage_detours){u->image->detours, u->image->ndetours, u->shift};
}

const struct textcopy **hookimage_copy(struct hookimage *im)
{
	return im->has_no_copy ? NULL : &im->copy;
}

void hookimage_no_copy(struct hookimage *im)
{
	im->has_no_copy = true;
}

static uint8_t *code_of(struct hooks *h, const struct image_use *u, const struct hooked *from)
{
	unsigned nth = from->area - u->image->part.area;

	return h->code.areas[u->area + nth].code + (from->trampoline - u->image->pieces[nth].start);
}

static void set_cells(struct hooks *h, const struct image_use *u)
{
	const struct hooked *w;

	for (size_t i = 0; (w = hash_each(&u->image->by_addr, &i, NULL));)
		for (unsigned k = 0; k < w->nstops; k++)
			if (w->points[k].counts)
				trampoline_set_cell(code_of(h, u, w) + w->map.begin[k],
						    w->keeps_flags_and_redzone,
						    CELL_AT(w->points[k].cell + u->cells));
}

/* What is said by an address is another one. */
static int set_addresses(struct hooks *h, const struct image_use *u, struct err *err)
{
	const struct hookimage *im = u->image;
	int r = 0;

	for (size_t i = 0; i < im->nabsolute && !r; i++) {
		struct hooked *w = adapted(u, im->absolute[i]);
		struct reloc code;

		r = hooks_emit(h, w, w->trampoline, &code, err);
		if (!r && code.len != w->trampoline_len)
			r = err_set(err, -ERANGE, "its code is of another length there");
		if (!r)
			memcpy(code_of(h, u, im->absolute[i]), code.code, code.len);
		free(w);
	}
	return r;
}

static int map_pieces(struct hooks *h, const struct hookimage *im, taddr_t shift, struct err *err)
{
	unsigned n = im->part.end_area - im->part.area;
	int r = 0;

	for (unsigned i = 0; i < n && r >= 0; i++)
		r = hooks_map_area(h, im->pieces[i].start + shift,
				   (unsigned)ROUND_UP(im->pieces[i].used, PAGE), err);
	return MIN(r, 0);
}

#define BEGIN ((size_t)ROUND_UP(HOOKOBJ_SIZE, 64)) /* of trampolines in a piece */

static size_t moved_size(const struct hookimage *im)
{
	size_t size = 0;

	for (unsigned i = 0; i < im->part.end_area - im->part.area; i++)
		size += im->pieces[i].used - BEGIN;
	return size;
}

static void keep_moved(struct hooks *h, const struct image_use *u)
{
	struct hookimage *im = u->image;
	uint8_t *at;

	if (!im->moved)
		im->moved = xcalloc(1, moved_size(im) + 1);
	at = im->moved;
	im->moved_cells = u->cells;
	for (unsigned i = 0; i < im->part.end_area - im->part.area; i++) {
		memcpy(at, h->code.areas[u->area + i].code + BEGIN, im->pieces[i].used - BEGIN);
		at += im->pieces[i].used - BEGIN;
	}
}

/* All but what is said by an address. */
static void copy_pieces(struct hooks *h, const struct image_use *u)
{
	const struct hookimage *im = u->image;
	bool is_moved = u->cells && im->moved && im->moved_cells == u->cells;
	const uint8_t *at = im->moved;

	for (unsigned i = 0; i < im->part.end_area - im->part.area; i++) {
		size_t size = im->pieces[i].used - BEGIN;

		memcpy(h->code.areas[u->area + i].code + BEGIN,
		       is_moved ? at : im->pieces[i].code + BEGIN, size);
		at += is_moved ? size : 0;
	}
	if (is_moved || !u->cells)
		return;
	set_cells(h, u);
	keep_moved(h, u);
}

static int fill_pieces(struct hooks *h, const struct image_use *u, struct err *err)
{
	const struct hookimage *im = u->image;
	unsigned n = im->part.end_area - im->part.area;
	int r;

	copy_pieces(h, u);
	r = set_addresses(h, u, err);
	for (unsigned i = 0; i < n && !r; i++)
		h->code.areas[u->area + i].used = im->pieces[i].used;
	return r;
}

static void move_detours(struct hooks *h, const struct hookimage *im, taddr_t shift,
			 struct codescan *scan)
{
	detours_expect(&h->code.detours, im->ndetours);
	for (size_t i = 0; i < im->ndetours; i++) {
		struct detour j = im->detours[i];

		j.addr += shift;
		j.function += shift;
		j.trampoline += shift;
		j.is_of_image = true;
		codescan_take(scan, im->detours[i].addr - im->bias, j.len, true);
		detours_add(&h->code.detours, &j);
	}
}

int hooks_add_image(struct hooks *h, struct hookimage *im, struct codescan *scan, taddr_t bias,
		    uint32_t *cells, struct err *err)
{
	struct image_use u = {.image = im,
			      .shift = bias - im->bias,
			      .area = h->code.nareas,
			      .cells = h->site.ncells - im->part.cell,
			      .scan = scan,
			      .is_new = true};
	int r = check(h, im, u.shift, err);

	if (!r)
		r = map_pieces(h, im, u.shift, err);
	if (!r)
		r = fill_pieces(h, &u, err);
	if (r)
		return r;
	h->code.uses = xrealloc(h->code.uses, (h->code.nuses + 1) * sizeof(u));
	h->code.uses[h->code.nuses++] = u;
	im->refs++;
	h->site.ncells += im->part.end_cell - im->part.cell;
	move_detours(h, im, u.shift, scan);
	for (size_t i = 0; i < im->npassed; i++)
		hooks_note_passed(h, im->passed[i].ret + u.shift, im->passed[i].window + u.shift);
	*cells = u.cells;
	return 0;
}
