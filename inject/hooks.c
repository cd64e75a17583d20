#include "inject/hooks.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "inject/hooksint.h"
#include "inject/stacktab.h"

#define MAX_SPACE   (1024U << 20) /* of addresses; memory is taken where something counts */
#define MIN_SPACE   (64U << 20)	  /* where there are not so many */
#define SMALL_SHARE 512 /* of the rings' memory, for each block when there is no more ... */
#define SMALL_MAX   (128U << 10) /* ... where addresses are scarce */
#define MORE_ROOM   131072U	 /* sites of libraries that come later: a Java VM has 100,000 */
#define MIN_BLOCKS  16
#define MAX_BLOCKS  4096

static int lay_out(struct hooks *h, const struct hooks_sizes *sizes, size_t space, struct err *err)
{
	h->sites_room = sizes->nsites + sizes->nsites / 2 + MORE_ROOM;
	h->cells_room = h->sites_room + HOOK_OWN_CELLS; /* counts, or what a site has lost */
	h->block_size = ROUND_UP(HOOK_BLOCK_HEADER + (size_t)h->cells_room * 8, 4096);
	h->nblocks = (unsigned)MIN(space / h->block_size, (size_t)MAX_BLOCKS);
	if (h->nblocks < MIN_BLOCKS)
		return err_set(err, -ENOSPC, "there are too many functions");
	h->where.block_size = h->block_size;
	h->mem_off = ROUND_UP(SITES_OFF + h->sites_room * sizeof(struct hook_site), 4096);
	h->starts_off = h->mem_off + MEM_ROWS * sizeof(struct hook_mem);
	h->rules_off = h->starts_off + RULES_MAX * sizeof(uint32_t);
	h->lists_off = h->rules_off + RULES_MAX * sizeof(struct hook_rule);
	h->rings_off = h->lists_off + LISTS_SIZE;
	h->nringless = h->nblocks;
	if (sizes->ring_bytes >= MIN_RING)
		h->small_ring = MIN_RING;
	while (h->small_ring &&
	       h->small_ring * 2 <= MIN(sizes->ring_bytes / SMALL_SHARE, SMALL_MAX))
		h->small_ring *= 2;
	h->rings_left = ROUND_UP(sizes->ring_bytes, 4096) + h->nringless * h->small_ring;
	h->blocks_off = h->rings_off + h->rings_left;
	h->size = h->blocks_off + h->nblocks * h->block_size;
	return 0;
}

/* What is this process's own; sizes are known. */
static void begin(struct hooks *h, struct proc *p, struct rings *rings, void *owner)
{
	h->proc = p;
	h->high = 1;
	h->memory_fd = h->tables_fd = -1;
	h->owners = xcalloc(h->nblocks, sizeof(*h->owners));
	h->sites = xcalloc(h->sites_room, sizeof(*h->sites));
	h->rings = rings;
	h->ringv = xcalloc(h->nblocks, sizeof(*h->ringv));
	for (unsigned i = 0; i < h->nblocks; i++)
		h->ringv[i] =
			(struct ring){.sites = h->sites, .nsites = &h->nsites, .owner = owner};
	h->unwritten_tail = &h->unwritten;
	hash_init(&h->by_addr);
	jumps_init(&h->jumps, p);
}

static void look_for_block(struct thread *t, void *arg)
{
	if (thread_is_stopped(t) && !thread_tcb(t))
		*(bool *)arg = true;
}

bool hooks_too_early(struct proc *p)
{
	bool found = false;

	proc_each_thread(p, look_for_block, &found);
	return found;
}

static int new_within(struct proc *p, const struct hooks_sizes *sizes, size_t space,
		      struct hooks **out, struct err *err)
{
	struct hooks *h = xcalloc(1, sizeof(*h));
	int r;

	h->tls = sizes->tls;
	h->is_door = sizes->is_door;
	h->where.word = (uint64_t)(int32_t)sizes->tls.word;
	r = lay_out(h, sizes, space, err);
	if (r) {
		free(h);
		return r;
	}
	begin(h, p, sizes->rings, sizes->owner);
	r = hooks_map(h, err);
	if (r) {
		hooks_free(h);
		return r;
	}
	((struct hook_shared *)h->memory)->version = HOOK_VERSION;
	if (h->is_door)
		hooks_door_begin(h);
	*out = h;
	return 0;
}

/* Where addresses are scarce, below a large heap or by a limit, fewer threads have blocks. */
int hooks_new(struct proc *p, const struct hooks_sizes *sizes, struct hooks **out, struct err *err)
{
	size_t space = MAX_SPACE;
	struct err why;
	int r;

	while ((r = new_within(p, sizes, space, out, &why)) == -ENOMEM && space > MIN_SPACE)
		space /= 2;
	return r ? err_set(err, r, "%s", why.text) : 0;
}

void hooks_free(struct hooks *h)
{
	if (!h)
		return;
	for (unsigned i = 1; i < h->nblocks; i++)
		if (h->ringv[i].size)
			rings_remove(h->rings, &h->ringv[i]);
	if (h->is_door && h->memory)
		hooks_listen_no_more(h);
	hooks_unmap_ours(h);
	for (unsigned i = 0; i < h->nareas; i++)
		hooks_free_code(&h->areas[i]);
	hooks_forget_stubs(h);
	hooks_free_windows(h);
	jumps_release(&h->jumps);
	stacktab_free(h->stacktab);
	free(h->areas);
	free(h->owners);
	free(h->ringv);
	free(h->sites);
	free(h->free_cells.v);
	free(h->free_sites.v);
	free(h);
}

/* ---- the end ---- */

bool hooks_have(const struct hooks *h, taddr_t pc)
{
	for (unsigned i = 0; i < h->nareas; i++)
		if (pc >= h->areas[i].start && pc < h->areas[i].start + AREA_SIZE)
			return true;
	return false;
}

struct looking {
	const struct hooks *h;
	bool found;
};

static bool is_in_stubs(taddr_t pc, void *arg)
{
	return hooks_have(((const struct looking *)arg)->h, pc);
}

/*
 * Stubs and what they call run no code of the program: the addresses that a call left on a stack
 * are returned to by nobody who stands elsewhere, but by a handler that interrupted one of them.
 */
static void see_word(taddr_t word, bool is_saved_pc, void *arg)
{
	struct looking *l = arg;

	l->found |= is_saved_pc && is_in_stubs(word, l);
}

static void forget_thread(struct thread *t, void *arg)
{
	struct hooks *h = arg;
	unsigned block = hooks_block_of(h, t);

	if (block)
		hooks_set_word(h, h->owners[block].tcb, 0);
}

/* Nobody may come back to a stub: no thread, and no handler of a signal. NULL: so it is. */
static const char *who_may_return(struct hooks *h)
{
	struct looking l = {.h = h};
	taddr_t lo = UINT64_MAX, hi = 0;

	for (unsigned i = 0; i < h->nareas; i++) {
		lo = MIN(lo, h->areas[i].start);
		hi = MAX(hi, h->areas[i].start + AREA_SIZE);
	}
	if (!proc_move_out(h->proc, is_in_stubs, &l))
		return "a thread is in it";
	if (proc_stack_words(h->proc, lo, hi, see_word, &l))
		return "a thread runs on another stack than its own";
	return l.found ? "a handler of a signal returns to it" : NULL;
}

int hooks_take_out(struct hooks *h, struct err *err)
{
	const char *why;

	jumps_take_out(&h->jumps);
	why = who_may_return(h);
	if (why)
		return err_set(err, -EBUSY, "%s", why);
	proc_each_thread(h->proc, forget_thread, h);
	return 0;
}

/* ---- a child by fork ---- */

/* What the target reads of it; the tables of stacks are made anew. */
static void copy_shared(struct hooks *h, const struct hooks *parent)
{
	memcpy(h->memory, parent->memory, sizeof(struct hook_shared));
	((struct hook_shared *)h->memory)->modules = 0;
	memcpy(h->memory + h->mem_off, parent->memory + h->mem_off,
	       h->nmem * sizeof(struct hook_mem));
	memcpy(h->memory + SITES_OFF, parent->sites, h->nsites * sizeof(*h->sites));
	memcpy(h->sites, parent->sites, h->nsites * sizeof(*h->sites));
}

/* One that was mapped after the fork is not there: nothing more goes into it. */
static void copy_areas(struct hooks *h, const struct hooks *parent)
{
	uint8_t byte;

	h->areas = xcalloc(parent->nareas + 1, sizeof(*h->areas));
	for (unsigned i = 0; i < parent->nareas; i++) {
		struct area *a = &h->areas[i];

		*a = parent->areas[i];
		a->is_borrowed = true;
		++*a->code_refs;
		a->written = a->used;
		a->promised = 0;
		if (proc_read_code(h->proc, a->start, &byte, 1) == 1) {
			proc_note_mapped(h->proc, a->start, AREA_SIZE);
			continue;
		}
		a->start = 0;
		a->used = a->written = AREA_SIZE;
	}
}

static void copy_window(struct hooks *h, const struct hooked *from)
{
	struct hooked *w = xcalloc(1, sizeof(*w));

	*w = *from;
	w->refs = 1;
	w->next = NULL;
	for (unsigned i = 0; i < w->nstops; i++)
		w->places[i].window = w;
	hash_put(&h->by_addr, w->addr, w);
}

/* Where others have gone on since it was copied, it has some of them. */
static void copy_windows(struct hooks *h, const struct hooks *parent, struct hash *functions)
{
	for (size_t i = 0; i < h->jumps.n; i++) {
		const struct jump *j = &h->jumps.v[i];
		const struct hooked *w = hooks_window(parent, j->addr);

		if (j->is_call)
			continue;
		if (w)
			copy_window(h, w);
		hash_put(functions, j->function, h);
	}
}

static int copy_hooks(struct hooks *h, struct hooks *parent, const struct hooks_heir *heir,
		      struct err *err)
{
	int r = jumps_inherit(&h->jumps, &parent->jumps);

	if (r < 0)
		return err_set(err, r, "there is no room left to note what its hooks replace");
	*heir->is_whole = r && !parent->unwritten;
	if (*heir->is_whole)
		hooks_share_windows(h, parent);
	else
		copy_windows(h, parent, heir->functions);
	return 0;
}

void hooks_take_padding(const struct hooks *h, struct codescan *scan, taddr_t bias)
{
	for (size_t i = 0; i < h->jumps.nwritten; i++)
		if (!h->jumps.v[i].is_call)
			codescan_take(scan, h->jumps.v[i].addr - bias, h->jumps.v[i].len, true);
}

int hooks_inherit(struct hooks *parent, const struct hooks_heir *heir, struct hooks **out,
		  struct err *err)
{
	struct hooks *h;
	int r;

	if (parent->tables.base)
		return err_set(err, -EINVAL, "what its parent aggregates is not its own");
	h = xcalloc(1, sizeof(*h));
	*h = (struct hooks){.size = parent->size,
			    .mem_off = parent->mem_off,
			    .starts_off = parent->starts_off,
			    .rules_off = parent->rules_off,
			    .lists_off = parent->lists_off,
			    .blocks_off = parent->blocks_off,
			    .rings_off = parent->rings_off,
			    .where = parent->where,
			    .tls = parent->tls,
			    .block_size = parent->block_size,
			    .nblocks = parent->nblocks,
			    .rings_left = parent->blocks_off - parent->rings_off,
			    .rings_at = parent->rings_at,
			    .small_ring = parent->small_ring,
			    .nringless = parent->nblocks,
			    .nmem = parent->nmem,
			    .sites_room = parent->sites_room,
			    .nsites = parent->nsites,
			    .cells_room = parent->cells_room,
			    .ncells = parent->ncells,
			    .nareas = parent->nareas};
	begin(h, heir->proc, heir->rings, heir->owner);
	copy_areas(h, parent);
	r = hooks_map_heir(h, err);
	if (!r) {
		copy_shared(h, parent);
		r = copy_hooks(h, parent, heir, err);
	}
	if (!r && parent->stacktab)
		hooks_need_stacks(h);
	if (!r)
		r = hooks_adopt_threads(h, err);
	if (r) {
		jumps_take_out(&h->jumps);
		jumps_clean(&parent->jumps, heir->proc);
		hooks_free(h);
		return r;
	}
	*out = h;
	return 0;
}
