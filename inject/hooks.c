#include "inject/hooks.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "inject/hooks_priv.h"
#include "inject/stacktab.h"

#define SMALL_SHARE 512 /* of the rings' memory, for each block when there is no more ... */
#define SMALL_MAX   (128U << 10) /* ... where addresses are scarce */
#define MORE_SITES  131072U	 /* of libraries that come later: a Java VM has 100,000 */
#define MORE_CELLS  4096U
/* In a table, for aggregations without keys: in all, and for each site besides */
#define TABLE_WORDS  (128U << 10)
#define WORDS_A_SITE 16U

/* Where threads take their blocks all of them are there from the beginning, cells, too: */
#define SELFCLAIM_BLOCKS 1024U
#define SELFCLAIM_SPACE	 (32U << 20)
#define MIN_BLOCKS	 16U

static void lay_out(struct hooks *h, const struct hooks_sizes *sizes)
{
	unsigned wanted = sizes->nsites + sizes->nsites / 4 + HOOKS_OWN_CHUNK;

	h->site.room = sizes->nsites + sizes->nsites / 2 + MORE_SITES;
	h->site.cells_room = wanted + MORE_CELLS;
	h->blocks.size = hooks_block_size(h->site.cells_room);
	h->where.block_size = h->blocks.size;
	h->table.words = ROUND_UP(TABLE_WORDS + (size_t)wanted * WORDS_A_SITE * sizeof(uint64_t) +
					  sizes->array_bytes,
				  PAGE);
	h->table.common_bytes = ROUND_UP(sizes->common_bytes, PAGE);
	if (sizes->ring_bytes >= MIN_RING)
		h->ring.smallest = MIN_RING;
	while (h->ring.smallest && !h->is_selfclaim &&
	       h->ring.smallest * 2 <= MIN(sizes->ring_bytes / SMALL_SHARE, SMALL_MAX))
		h->ring.smallest *= 2;
	h->ring.bytes = ROUND_UP(sizes->ring_bytes, PAGE);
	h->ring.left = h->ring.bytes / 2;
}

/* Of what is large only the pages that are used take memory, and time. */
static void *zeros(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		die("no memory for the hooks of a process: %s", strerror(errno));
	return p;
}

/* What is this process's own; sizes are known. */
static void begin(struct hooks *h, struct proc *p, struct rings *rings, void *owner)
{
	h->proc = p;
	h->blocks.high = 1;
	h->blocks.owners = xcalloc(MAX_BLOCKS, sizeof(*h->blocks.owners));
	h->blocks.v = xcalloc(MAX_BLOCKS, sizeof(*h->blocks.v));
	h->site.v = zeros(h->site.room * sizeof(*h->site.v));
	h->ring.reader = rings;
	h->ring.owner = owner;
	h->ring.v = zeros(MAX_BLOCKS * sizeof(*h->ring.v));
	h->code.unwritten_tail = &h->code.unwritten;
	hash_init(&h->code.by_addr);
	hash_init(&h->code.passed);
	detours_init(&h->code.detours, p);
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

/* Threads take blocks that are there, and their rings. */
static int prepare_selfclaim(struct hooks *h, struct err *err)
{
	unsigned n = MIN((unsigned)(SELFCLAIM_SPACE / h->blocks.size), SELFCLAIM_BLOCKS);
	int r = hooks_more_blocks(h, MAX(n, MIN_BLOCKS), err);

	if (r)
		return r;
	h->where.blocks = hooks_block_at(h, 0);
	r = hooks_map_rings(h, err);
	if (!r)
		r = hooks_map_sites(h, err);
	if (!r)
		r = hooks_map_mem(h, err);
	if (!r)
		r = hooks_map_selfclaim(h, err);
	if (!r)
		hooks_selfclaim_begin(h);
	return r;
}

int hooks_new(struct proc *p, const struct hooks_sizes *sizes, struct hooks **out, struct err *err)
{
	struct hooks *h = xcalloc(1, sizeof(*h));
	int r;

	h->tls = sizes->tls;
	h->is_selfclaim = sizes->is_selfclaim;
	h->where.word = (uint64_t)(int32_t)sizes->tls.word;
	h->blocks.n = h->is_selfclaim ? 0 : 1;
	h->copies = sizes->copies;
	h->code.puts_calls_off = sizes->puts_calls_off;
	lay_out(h, sizes);
	begin(h, p, sizes->rings, sizes->owner);
	r = hooks_map(h, sizeof(struct hook_shared), PROT_READ, err);
	if (r >= 0) {
		h->where.shared = h->mem.maps[0].at;
		hooks_shared(h)->version = HOOK_VERSION;
		if (!h->is_selfclaim)
			hooks_keep(h);
		r = h->is_selfclaim ? prepare_selfclaim(h, err) : 0;
	}
	if (r) {
		struct err why;

		hooks_unmap(h, &why);
		hooks_free(h);
		return r;
	}
	*out = h;
	return 0;
}

void hooks_free(struct hooks *h)
{
	if (!h)
		return;
	for (unsigned i = 1; i < h->blocks.n; i++)
		if (h->ring.v[i].size)
			rings_remove(h->ring.reader, &h->ring.v[i]);
	if (h->is_selfclaim && h->blocks.n)
		hooks_listen_no_more(h);
	hooks_keep_no_more(h);
	hooks_unmap_ours(h);
	free(h->mem.maps);
	free(h->blocks.v);
	for (unsigned i = 0; i < h->code.nareas; i++)
		hooks_free_code(&h->code.areas[i]);
	hooks_forget_trampolines(h);
	hooks_free_windows(h);
	hooks_leave_images(h);
	detours_release(&h->code.detours);
	free(h->code.late_calls.v);
	hash_release(&h->code.passed);
	stacktab_free(h->site.stacktab);
	free(h->code.areas);
	free(h->blocks.owners);
	munmap(h->ring.v, MAX_BLOCKS * sizeof(*h->ring.v));
	munmap(h->site.v, h->site.room * sizeof(*h->site.v));
	free(h->site.free_cells.v);
	free(h->site.free_sites.v);
	free(h);
}

/* ---- the end ---- */

bool hooks_have(const struct hooks *h, taddr_t pc)
{
	for (unsigned i = 0; i < h->code.nareas; i++)
		if (pc >= h->code.areas[i].start &&
		    pc < h->code.areas[i].start + h->code.areas[i].size)
			return true;
	return false;
}

bool hooks_are_in(const struct hooks *h, taddr_t start, taddr_t end)
{
	const struct detours *js = &h->code.detours;

	for (const struct hooked *w = h->code.unwritten; w; w = w->next)
		if (w->addr >= start && w->addr < end)
			return true;
	for (size_t i = 0; i < js->n; i++)
		if (js->v[i].addr >= start && js->v[i].addr < end)
			return true;
	return false;
}

struct looking {
	const struct hooks *h;
	bool found;
};

static bool is_in_trampolines(taddr_t pc, void *arg)
{
	return hooks_have(((const struct looking *)arg)->h, pc);
}

/*
 * Trampolines and what they call run no code of the program: the addresses that a call left on a
 * stack are returned to by nobody who stands elsewhere, but by a handler that interrupted one of
 * them.
 */
static void see_word(taddr_t word, bool is_saved_pc, void *arg)
{
	struct looking *l = arg;

	l->found |= is_saved_pc && is_in_trampolines(word, l);
}

static void forget_thread(struct thread *t, void *arg)
{
	struct hooks *h = arg;
	unsigned block = hooks_block_of(h, t);

	if (block)
		hooks_set_word(h, h->blocks.owners[block].tcb, 0);
}

struct faulting {
	struct hooks *h;
	bool any;
};

/* It cannot be made to run out of there: an instruction of the program's own, told of where that
 * is; or one of ours, that has no stack or no memory to load from, and is left out. */
static void leave_fault(struct thread *t, void *arg)
{
	struct faulting *of = arg;
	struct hook_fault f;
	taddr_t pc, end;

	if (!thread_has_fault(t) || !thread_pc(t, &pc))
		return;
	end = hooks_end_load(of->h, pc);
	if (end)
		thread_drop_fault(t, end, 0, false);
	else if (!hooks_fault(of->h, pc, &f))
		return;
	else if (f.is_ours)
		thread_drop_fault(t, f.go_on, f.undo, f.has_rax);
	else
		thread_move_fault(t, f.pc, f.undo);
	of->any = true;
}

/* False: there are none. */
static bool leave_faults(struct hooks *h)
{
	struct faulting of = {.h = h};

	proc_each_thread(h->proc, leave_fault, &of);
	return of.any;
}

/* Nobody may come back to a trampoline: no thread, and no handler of a signal. NULL: so it is. */
static const char *who_may_return(struct hooks *h)
{
	struct looking l = {.h = h};
	taddr_t lo = UINT64_MAX, hi = 0;

	for (unsigned i = 0; i < h->code.nareas; i++) {
		lo = MIN(lo, h->code.areas[i].start);
		hi = MAX(hi, h->code.areas[i].start + h->code.areas[i].size);
	}
	while (!proc_move_out(h->proc, is_in_trampolines, &l))
		if (!leave_faults(h))
			return "a thread is in it";
	if (proc_stack_words(h->proc, lo, hi, see_word, &l))
		return "a thread runs on another stack than its own";
	return l.found ? "a handler of a signal returns to it" : NULL;
}

int hooks_take_out(struct hooks *h, struct err *err)
{
	const char *why;

	hooks_keep_no_more(h);
	leave_faults(h);
	why = detours_take_out(&h->code.detours) ? who_may_return(h)
						 : "a thread comes back to its code";
	if (why)
		return err_set(err, -EBUSY, "%s", why);
	hooks_map_files(h);
	proc_each_thread(h->proc, forget_thread, h);
	return 0;
}

/* ---- a child by fork ---- */

/* What the target reads of it; the tables of stacks are made anew. */
static void copy_shared(struct hooks *h, const struct hooks *parent)
{
	*hooks_shared(h) = *hooks_shared(parent);
	hooks_shared(h)->modules = 0;
	hooks_shared(h)->keeper = 0;
	if (h->site.nmem)
		memcpy(h->mem.maps[h->site.mem_map].ours, parent->mem.maps[h->site.mem_map].ours,
		       h->site.nmem * sizeof(struct hook_mem));
	if (h->site.n)
		memcpy(h->mem.maps[h->site.map].ours, parent->site.v,
		       h->site.n * sizeof(*h->site.v));
	memcpy(h->site.v, parent->site.v, h->site.n * sizeof(*h->site.v));
}

/* One that was mapped after the fork is not there: nothing more goes into it. */
static void copy_areas(struct hooks *h, const struct hooks *parent)
{
	uint8_t byte;

	h->code.areas = xcalloc(parent->code.nareas + 1, sizeof(*h->code.areas));
	for (unsigned i = 0; i < parent->code.nareas; i++) {
		struct area *a = &h->code.areas[i];

		*a = parent->code.areas[i];
		a->is_borrowed = true;
		++*a->code_refs;
		a->written = a->used;
		a->promised = 0;
		if (proc_read_code(h->proc, a->start, &byte, 1) == 1) {
			proc_note_mapped(h->proc, a->start, a->size);
			continue;
		}
		a->start = 0;
		a->used = a->written = a->size;
	}
}

/* Where others have gone on since it was copied, it has some of them. */
static void copy_windows(struct hooks *h, struct hooks *parent, struct hash *functions)
{
	for (size_t i = 0; i < h->code.detours.n; i++) {
		const struct detour *j = &h->code.detours.v[i];
		const struct hooked *w = hooks_window(parent, j->addr);

		if (j->is_call)
			continue;
		if (w)
			hash_put(&h->code.by_addr, w->addr, hooks_copy_window(w, 0));
		hash_put(functions, j->function, h);
	}
}

static void copy_passed(struct hooks *h, const struct hooks *parent)
{
	uint64_t ret;
	void *window;

	for (size_t i = 0; (window = hash_each(&parent->code.passed, &i, &ret));)
		hash_put(&h->code.passed, ret, window);
}

static int copy_hooks(struct hooks *h, struct hooks *parent, const struct hooks_fork_copy *copy,
		      struct err *err)
{
	int r = detours_inherit(&h->code.detours, &parent->code.detours);

	if (r < 0)
		return err_set(err, r, "there is no room left to note what its hooks replace");
	*copy->is_whole = r && !parent->code.unwritten;
	copy_passed(h, parent);
	if (*copy->is_whole) {
		hooks_share_windows(h, parent);
		hooks_share_images(h, parent);
	} else {
		copy_windows(h, parent, copy->functions);
	}
	return 0;
}

void hooks_take_padding(const struct hooks *h, struct codescan *scan, taddr_t bias)
{
	for (size_t i = 0; i < h->code.detours.nwritten; i++)
		if (!h->code.detours.v[i].is_call)
			codescan_take(scan, h->code.detours.v[i].addr - bias,
				      h->code.detours.v[i].len, true);
}

int hooks_inherit(struct hooks *parent, const struct hooks_fork_copy *copy, struct hooks **out,
		  struct err *err)
{
	struct hooks *h;
	int r;

	if (parent->table.clock)
		return err_set(err, -EINVAL, "what its parent aggregates is not its own");
	h = xcalloc(1, sizeof(*h));
	*h = (struct hooks){.where = parent->where,
			    .tls = parent->tls,
			    .site.map = parent->site.map,
			    .site.mem_map = parent->site.mem_map,
			    .site.stacks_map = parent->site.stacks_map,
			    .site.nrules = parent->site.nrules,
			    .blocks.size = parent->blocks.size,
			    .blocks.n = parent->blocks.n,
			    .ring.bytes = parent->ring.bytes,
			    .ring.left = parent->ring.bytes / 2,
			    .ring.smallest = parent->ring.smallest,
			    .site.nmem = parent->site.nmem,
			    .site.room = parent->site.room,
			    .site.n = parent->site.n,
			    .site.cells_room = parent->site.cells_room,
			    .site.ncells = parent->site.ncells,
			    .code.nareas = parent->code.nareas,
			    .code.had_unmapped = parent->code.had_unmapped,
			    .code.puts_calls_off = parent->code.puts_calls_off};
	begin(h, copy->proc, copy->rings, copy->owner);
	copy_areas(h, parent);
	memcpy(h->blocks.v, parent->blocks.v, h->blocks.n * sizeof(*h->blocks.v));
	hooks_begin_rings(h, 1, h->blocks.n - 1);
	r = hooks_map_fork_copy(h, parent, err);
	if (!r) {
		copy_shared(h, parent);
		hooks_keep(h);
		r = copy_hooks(h, parent, copy, err);
	}
	h->site.reads_memory = parent->site.reads_memory;
	if (!r && parent->site.stacktab)
		hooks_need_stacks(h);
	if (!r)
		r = hooks_adopt_threads(h, err);
	if (r) {
		detours_take_out(&h->code.detours);
		detours_clean(&parent->code.detours, copy->proc);
		hooks_free(h);
		return r;
	}
	*out = h;
	return 0;
}
