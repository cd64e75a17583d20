/* hookblocks.c: which thread has which block (hook_proto.h). */
#include "inject/hooks_priv.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracer/janitor/keeper.h"
#include "tracer/procfs/procfs.h"

#define ROOM_OF_SELFCLAIM (64U << 10)
#define SMALL_RINGS	  8 /* that are mapped together */
#define PF_EXITING	  4 /* of /proc/PID/stat: linux/sched.h */

#define STAMP_BITS 44 /* of a thread's own stamps: 10^13 (tuple.h) */

#define CHUNK_SIZE (4U << 20) /* of blocks that are made before they are needed */

struct hook_shared *hooks_shared(const struct hooks *h)
{
	return (void *)h->mem.maps[0].ours;
}

void hooks_keep(struct hooks *h)
{
	h->mem.keeper = keeper_add(hooks_shared(h), offsetof(struct hook_shared, keeper));
}

void hooks_keep_no_more(struct hooks *h)
{
	if (h->mem.keeper)
		__atomic_store_n(&hooks_shared(h)->keeper, 0, __ATOMIC_SEQ_CST);
	keeper_remove(h->mem.keeper);
	h->mem.keeper = 0;
}

/* ---- where they are ---- */

struct hook_block *hooks_block(const struct hooks *h, unsigned block)
{
	const struct blockplace *p = &h->blocks.v[block];

	return (void *)(h->mem.maps[p->map].ours + p->off);
}

taddr_t hooks_block_at(const struct hooks *h, unsigned block)
{
	const struct blockplace *p = &h->blocks.v[block];

	return h->mem.maps[p->map].at + p->off;
}

uint64_t *hooks_cell_at(const struct hooks *h, unsigned block, uint32_t cell)
{
	char *b = (char *)hooks_block(h, block);

	return cell < h->blocks.v[block].room ? (uint64_t *)(void *)(b + HOOK_BLOCK_HEADER) + cell
					      : NULL;
}

void *hooks_table(const struct hooks *h, unsigned block, uint64_t *room)
{
	const struct blockplace *p = &h->blocks.v[block];

	*room = p->table_room;
	return p->table_map ? h->mem.maps[p->table_map].ours + p->table_off : NULL;
}

static void set_table(struct hooks *h, unsigned block)
{
	const struct blockplace *p = &h->blocks.v[block];

	hooks_block(h, block)->table =
		p->table_map ? h->mem.maps[p->table_map].at + p->table_off : 0;
}

/* ---- making them ---- */

size_t hooks_block_size(uint32_t cells)
{
	return ROUND_UP(HOOK_BLOCK_HEADER + (size_t)cells * 8, PAGE);
}

/* Few threads have large ones. */
static size_t table_room(const struct hooks *h, unsigned block)
{
	if (h->is_selfclaim)
		return ROOM_OF_SELFCLAIM;
	return block <= 2 ? 8U << 20 : block <= 8 ? 3U << 19 : 320U << 10;
}

static size_t table_size(const struct hooks *h, unsigned block)
{
	return ROUND_UP(h->table.given.words + HOOK_ENTRIES + table_room(h, block), PAGE);
}

static size_t tables_size(const struct hooks *h, unsigned first, unsigned n)
{
	size_t size = 0;

	for (unsigned i = first; i < first + n; i++)
		size += table_size(h, i);
	return size;
}

/* Threads have stamps of their own (tuple.h). */
static void begin_table(struct hook_table *t, unsigned block, size_t room)
{
	t->room = room;
	t->stamp = (uint64_t)block << STAMP_BITS;
}

/* Of n blocks, as large as those from `like` on have them. */
static void place_tables(struct hooks *h, unsigned map, unsigned first, unsigned n, unsigned like)
{
	size_t off = 0;

	for (unsigned i = 0; i < n; i++) {
		struct blockplace *p = &h->blocks.v[first + i];

		p->table_map = map;
		p->table_off = off;
		p->table_room = table_room(h, like + i);
		off += table_size(h, like + i);
		begin_table((void *)(h->mem.maps[map].ours + p->table_off), first + i,
			    p->table_room);
	}
}

static int map_tables(struct hooks *h, unsigned first, unsigned n, struct err *err)
{
	return hooks_map(h, tables_size(h, first, n), PROT_READ | PROT_WRITE, err);
}

static void place_blocks(struct hooks *h, unsigned map, unsigned first, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		h->blocks.v[first + i].map = map;
		h->blocks.v[first + i].off = i * h->blocks.size;
		h->blocks.v[first + i].room = h->site.cells_room;
	}
	hooks_begin_rings(h, first, n);
	if (first > 1 && h->blocks.v[first - 1].room < h->site.cells_room)
		h->blocks.high = first; /* those that are left in front are too small */
	h->blocks.n = first + n;
}

/* While memory is mapped threads may be born, and get blocks: they have numbers when it is. */
int hooks_more_blocks(struct hooks *h, unsigned want, struct err *err)
{
	unsigned like = h->blocks.n, left = MAX_BLOCKS - like;
	size_t size = h->blocks.size + (h->table.clock ? table_size(h, like) : 0);
	unsigned n = MAX(want, MIN(like, (unsigned)(CHUNK_SIZE / size)));
	int map, tables;

	n = h->is_selfclaim ? want : MIN(n, left);
	map = n < want ? 0 : hooks_map(h, n * h->blocks.size, PROT_READ | PROT_WRITE, err);
	tables = map > 0 && h->table.clock ? map_tables(h, like, n, err) : MIN(map, 0);
	if (tables < 0)
		return tables;
	if (n < want || n > MAX_BLOCKS - h->blocks.n)
		return err_set(err, -ENOSPC, "it has more than %d threads", MAX_BLOCKS);
	if (tables)
		place_tables(h, (unsigned)tables, h->blocks.n, n, like);
	place_blocks(h, (unsigned)map, h->blocks.n, n);
	return 0;
}

static int map_common(struct hooks *h, struct err *err)
{
	int map = h->table.common_bytes
			  ? hooks_map(h, h->table.common_bytes, PROT_READ | PROT_WRITE, err)
			  : 0;

	if (map <= 0)
		return map;
	h->table.common_map = (unsigned)map;
	HOOKS_SET_WHERE(h, arrays, h->mem.maps[map].at);
	return 0;
}

int hooks_map_tables(struct hooks *h, struct err *err)
{
	int map = hooks_map(h, sizeof(struct hook_clock), PROT_READ, err), tables, r;

	if (map < 0)
		return map;
	h->table.given.words = h->table.words;
	HOOKS_SET_WHERE(h, table_words, h->table.words);
	/* of those of threads that are born meanwhile, too */
	for (unsigned first = h->is_selfclaim ? 0 : 1, end; first < h->blocks.n; first = end) {
		end = h->blocks.n;
		tables = map_tables(h, first, end - first, err);
		if (tables < 0)
			return tables;
		place_tables(h, (unsigned)tables, first, end - first, first);
	}
	r = map_common(h, err);
	if (r)
		return r;
	h->table.given.clock = (void *)h->mem.maps[map].ours;
	h->table.clock = h->mem.maps[map].at;
	HOOKS_SET_WHERE(h, clock, h->table.clock);
	for (unsigned i = 1; i < h->blocks.high; i++)
		set_table(h, i);
	return 0;
}

const struct hooks_tables *hooks_tables(const struct hooks *h)
{
	return h && h->table.clock ? &h->table.given : NULL;
}

/* ---- who has one ---- */

static bool is_control_block(struct hooks *h, taddr_t tcb)
{
	taddr_t self;

	return tcb &&
	       proc_read_code(h->proc, tcb + h->tls.self, &self, sizeof(self)) == sizeof(self) &&
	       self == tcb;
}

bool hooks_set_word(struct hooks *h, taddr_t tcb, unsigned block)
{
	uint64_t at = block ? hooks_block_at(h, block) : 0;

	return proc_write_code(h->proc, tcb + h->tls.word, &at, sizeof(at)) == 0;
}

static void begin_own_cells(struct hooks *h, unsigned block, pid_t tid)
{
	for (unsigned i = 0; i < h->site.nown; i++)
		for (uint32_t k = 0; k < h->site.own[i].n; k++)
			*hooks_cell_at(h, block, h->site.own[i].first + k) = 0;
	if (h->site.has_tid_cell)
		*hooks_cell_at(h, block, h->site.tid_cell) = (uint64_t)tid;
	hooks_clear_arrays(h, block);
}

unsigned hooks_block_of(const struct hooks *h, const struct thread *t)
{
	for (unsigned i = 1; i < h->blocks.high; i++)
		if (h->blocks.owners[i].tid == thread_tid(t))
			return i;
	return 0;
}

/* What its last thread has left there is read first. */
bool hooks_is_free(const struct hooks *h, unsigned block)
{
	const struct ring *r = &h->ring.v[block];

	return !h->blocks.owners[block].tid && h->blocks.v[block].room >= h->site.ncells &&
	       (!r->size || __atomic_load_n(&r->block->head, __ATOMIC_ACQUIRE) == r->tail);
}

/* Its stack, control block included, may be another thread's already, before we are told. */
static bool has_ended(pid_t tid)
{
	unsigned long flags = 0;

	return !procfs_state(tid, &flags) || (flags & PF_EXITING);
}

/* A block for a thread; 0: none is left, or another thread has the same control block: two that
 * count in one place lose counts. */
static unsigned free_block(struct hooks *h, taddr_t tcb)
{
	unsigned found = 0;
	struct err why;

	for (unsigned i = h->blocks.high; i-- > 1;) {
		struct owner *o = &h->blocks.owners[i];

		if (o->tid && o->tcb == tcb) {
			o->is_shared = true;
			if (!has_ended(o->tid))
				return 0;
			o->tid = 0; /* as in hooks_left(): what it has recorded is its own */
		}
		if (hooks_is_free(h, i))
			found = i;
	}
	if (!found && h->blocks.high == h->blocks.n && hooks_more_blocks(h, 1, &why))
		return 0;
	return found ? found : h->blocks.high;
}

/* Where threads take their blocks, many must have large ones before we see how many they are. */
static uint64_t most_for(const struct hooks *h, unsigned block)
{
	if (!h->is_selfclaim || block == 1)
		return UINT64_MAX;
	return block <= 8 ? 2U << 20 : block <= 64 ? 256U << 10 : 0;
}

/* The first one gets a quarter of all, the others a quarter of what is left for large ones. */
static uint64_t ring_size(const struct hooks *h, unsigned block)
{
	uint64_t size = h->ring.smallest, left = h->ring.left;
	uint64_t most = MIN(left / (left == h->ring.bytes / 2 ? 2 : 4), most_for(h, block));

	while (size && size * 2 <= most)
		size *= 2;
	return size;
}

/* NULL: there is none. */
static struct hookmap *with_room(struct hooks *h, uint64_t size)
{
	for (unsigned i = 0; i < h->mem.nmaps; i++)
		if (h->mem.maps[i].is_rings && h->mem.maps[i].size - h->mem.maps[i].used >= size)
			return &h->mem.maps[i];
	return NULL;
}

static struct hookmap *ring_memory(struct hooks *h, uint64_t size)
{
	struct hookmap *m = with_room(h, size);
	struct err why;
	int map;

	if (m || h->is_selfclaim)
		return m;
	map = hooks_map(h, MAX(size, SMALL_RINGS * h->ring.smallest), PROT_READ | PROT_WRITE, &why);
	if (map < 0)
		return NULL;
	h->mem.maps[map].is_rings = true;
	return &h->mem.maps[map];
}

int hooks_map_rings(struct hooks *h, struct err *err)
{
	int map;

	if (!h->ring.smallest)
		return 0;
	map = hooks_map(h, h->ring.left + h->blocks.n * h->ring.smallest, PROT_READ | PROT_WRITE,
			err);
	if (map >= 0)
		h->mem.maps[map].is_rings = true;
	return MIN(map, 0);
}

void hooks_begin_rings(struct hooks *h, unsigned first, unsigned n)
{
	for (unsigned i = first; i < first + n; i++)
		h->ring.v[i] = (struct ring){
			.sites = h->site.v, .nsites = &h->site.n, .owner = h->ring.owner};
}

/* Pages that its thread would otherwise wait for. */
static void populate(const struct hooks *h, const struct ring *r)
{
	madvise((void *)(uintptr_t)r->data,
		r->size > h->ring.smallest ? MIN(r->size, FIRST_LAP) : MIN_RING,
		MADV_POPULATE_WRITE);
}

/* A block keeps its ring. While nothing is recorded there is none. */
void hooks_need_ring(struct hooks *h, unsigned block)
{
	struct hook_block *b = hooks_block(h, block);
	struct ring *r = &h->ring.v[block];
	uint64_t size = r->size || (!h->site.n && !h->is_selfclaim) ? 0 : ring_size(h, block);
	struct hookmap *m = size ? ring_memory(h, size) : NULL;

	if (!m || r->size) /* a thread was born meanwhile, and has the block */
		return;
	r->data = m->ours + m->used;
	r->block = b;
	r->size = size;
	b->ring = m->at + m->used;
	__atomic_store_n(&b->ring_size, size, __ATOMIC_RELEASE);
	m->used += size;
	h->ring.left -= MIN(size - h->ring.smallest, h->ring.left);
	rings_add(h->ring.reader, r);
	if (!h->is_selfclaim || block == 1) /* many may never be taken */
		populate(h, r);
}

/* On another stack a walk stays within a page. */
static void set_stack(struct hooks *h, unsigned block, struct thread *t)
{
	struct hook_block *b = hooks_block(h, block);
	struct thread_stack st = {0};

	thread_stack(t, &st);
	b->stack_start = st.start;
	b->stack_mapped = st.mapped;
	b->stack_end = st.end;
}

/* The block that its vfork child has had; 0: none. */
static unsigned guests_block(const struct hooks *h, taddr_t tcb)
{
	for (unsigned i = 1; i < h->blocks.high; i++)
		if (h->blocks.owners[i].tid && h->blocks.owners[i].is_guest &&
		    h->blocks.owners[i].tcb == tcb)
			return i;
	return 0;
}

static unsigned choose_block(struct hooks *h, taddr_t tcb)
{
	unsigned block;

	if (!is_control_block(h, tcb))
		return 0;
	block = guests_block(h, tcb);
	return block ? block : free_block(h, tcb);
}

static void give_block(struct hooks *h, struct thread *t, taddr_t tcb)
{
	unsigned block = choose_block(h, tcb);

	if (!block || !hooks_set_word(h, tcb, block)) {
		h->blocks.nuncounted++;
		return;
	}
	h->blocks.owners[block] = (struct owner){.tid = thread_tid(t), .tcb = tcb};
	h->ring.v[block].tid = thread_tid(t);
	h->ring.v[block].tcb = tcb;
	hooks_need_ring(h, block);
	set_table(h, block);
	hooks_block(h, block)->vtime = (struct hook_vtime){{0, 0}};
	begin_own_cells(h, block, thread_tid(t));
	if (h->site.stacktab || h->site.reads_memory)
		set_stack(h, block, t);
	h->blocks.high = MAX(h->blocks.high, block + 1);
}

void hooks_born(struct hooks *h, struct thread *t, taddr_t tcb)
{
	h->blocks.is_in_birth = true;
	give_block(h, t, tcb);
	h->blocks.is_in_birth = false;
}

void hooks_left(struct hooks *h, const struct thread *t)
{
	unsigned block = hooks_block_of(h, t);

	if (block && !h->blocks.owners[block].is_guest)
		h->blocks.owners[block].tid = 0;
}

/* The child's copy shares our counters: it counts where nobody looks. */
void hooks_forked(const struct hooks *h, taddr_t tcb, int mem_fd)
{
	static const uint64_t nowhere;

	if (pwrite(mem_fd, &nowhere, sizeof(nowhere), (off_t)(tcb + h->tls.word)) < 0)
		return; /* it is dying: it counts no more */
}

uint64_t hooks_uncounted(const struct hooks *h)
{
	/* it has counted those that found no block */
	return h->blocks.nuncounted +
	       (h->is_selfclaim && h->blocks.n > 1 ? hooks_block(h, 0)->owner : 0);
}

bool hooks_are_broken(const struct hooks *h)
{
	return h->mem.nfaults != 0;
}

uint64_t hooks_damaged(const struct hooks *h)
{
	uint64_t n = 0;

	for (unsigned i = 1; i < h->blocks.high; i++)
		n += h->ring.v[i].nbad;
	return n;
}

struct adopting {
	struct hooks *h;
	const char *failed;
};

static void check_thread(struct thread *t, void *arg)
{
	struct adopting *a = arg;
	taddr_t tcb = thread_tcb(t);

	if (!thread_is_stopped(t)) /* born is called before it runs */
		return;
	if (!tcb)
		a->failed = "a thread has no control block yet";
	else if (!is_control_block(a->h, tcb))
		a->failed = "a thread has a control block of its own kind";
}

static void adopt(struct thread *t, void *arg)
{
	struct adopting *a = arg;

	if (!thread_is_guest(t) && thread_is_stopped(t) && !hooks_block_of(a->h, t))
		hooks_born(a->h, t, thread_tcb(t));
}

/* The parent does not sleep, as it would for the child of a vfork: two run in one control block. */
static void count_sharing(struct hooks *h, struct owner *o)
{
	if (o->is_shared || procfs_is_uninterruptible(o->tid))
		return;
	o->is_shared = true;
	h->blocks.nuncounted++;
}

/* The child of a vfork runs in the control block of its parent, which sleeps meanwhile. */
static void adopt_guest(struct thread *t, void *arg)
{
	struct hooks *h = ((struct adopting *)arg)->h;
	taddr_t tcb = thread_is_guest(t) ? thread_tcb(t) : 0;

	for (unsigned i = 1; tcb && i < h->blocks.high; i++)
		if (h->blocks.owners[i].tid && h->blocks.owners[i].tcb == tcb) {
			if (h->blocks.owners[i].tid != thread_tid(t))
				count_sharing(h, &h->blocks.owners[i]);
			return;
		}
	if (!tcb)
		return;
	hooks_born(h, t, tcb);
	if (hooks_block_of(h, t))
		h->blocks.owners[hooks_block_of(h, t)].is_guest = true;
}

static bool is_too_small(const struct hooks *h, unsigned block)
{
	return h->blocks.owners[block].tid && h->blocks.v[block].room < h->site.ncells;
}

/* Its thread goes on in another one; what it has counted stays where it is. */
static bool replace(struct hooks *h, unsigned old)
{
	struct hook_block *from = hooks_block(h, old), *to;
	struct owner o = h->blocks.owners[old];
	unsigned block;

	h->blocks.owners[old].tid = 0;
	block = free_block(h, o.tcb);
	if (!block || !hooks_set_word(h, o.tcb, block)) {
		h->blocks.owners[old] = o;
		return false;
	}
	to = hooks_block(h, block);
	h->blocks.owners[block] = o;
	h->ring.v[block].tid = o.tid;
	h->ring.v[block].tcb = o.tcb;
	hooks_need_ring(h, block);
	set_table(h, block);
	to->stack_start = from->stack_start;
	to->stack_mapped = from->stack_mapped;
	to->stack_end = from->stack_end;
	begin_own_cells(h, block, o.tid);
	for (unsigned i = 0; i < h->site.nown; i++)
		for (uint32_t k = 0; k < h->site.own[i].n; k++) {
			uint32_t cell = h->site.own[i].first + k;

			if (hooks_cell_at(h, old, cell))
				*hooks_cell_at(h, block, cell) = *hooks_cell_at(h, old, cell);
		}
	hooks_copy_arrays(h, block, old);
	h->blocks.high = MAX(h->blocks.high, block + 1);
	return true;
}

static bool is_in_trampolines(taddr_t pc, void *arg)
{
	return hooks_have(arg, pc);
}

/* A thread in a trampoline goes on with the block it has found, which is harmless, unless it is
 * about to write one of its variables there. */
static int replace_small(struct hooks *h, struct err *err)
{
	bool is_looked_at = !h->site.nown && !h->table.narrays;

	for (unsigned i = 1; i < h->blocks.high; i++) {
		if (!is_too_small(h, i))
			continue;
		if (!is_looked_at && !proc_move_out(h->proc, is_in_trampolines, h))
			return err_set(err, -EBUSY, "a thread is in a hook");
		is_looked_at = true;
		if (!replace(h, i))
			return err_set(err, -ENOMEM, "there is no room for more counters");
	}
	return 0;
}

int hooks_adopt_threads(struct hooks *h, struct err *err)
{
	struct adopting a = {.h = h};

	if (h->is_selfclaim)
		return 0;
	proc_each_thread(h->proc, check_thread, &a);
	if (a.failed)
		return err_set(err, -EINVAL, "%s", a.failed);
	proc_each_thread(h->proc, adopt, &a);
	proc_each_thread(h->proc, adopt_guest, &a);
	for (unsigned i = 1; i < h->blocks.high; i++)
		if (h->blocks.owners[i].tid)
			hooks_need_ring(h, i);
	return replace_small(h, err);
}

struct wanting {
	const struct hooks *h;
	unsigned n;
};

static void learn_stack(struct thread *t, void *arg)
{
	struct hooks *h = arg;
	unsigned block = hooks_block_of(h, t);

	if (block && !hooks_block(h, block)->stack_end)
		set_stack(h, block, t);
}

static void count_without_block(struct thread *t, void *arg)
{
	struct wanting *w = arg;
	unsigned block = hooks_block_of(w->h, t);

	w->n += !block || is_too_small(w->h, block);
}

/* Its page is there from now on. Its thread may be at work. */
static void touch(uint64_t *word)
{
	__atomic_fetch_add(word, 0, __ATOMIC_RELAXED);
}

int hooks_prepare_blocks(struct hooks *h, struct err *err)
{
	struct wanting w = {.h = h};
	unsigned nfree = 0;
	int r;

	if (h->is_selfclaim) {
		hooks_selfclaim_offer(h);
		return 0;
	}
	if (h->site.ncells > h->site.cells_room) {
		h->site.cells_room = h->site.ncells + h->site.ncells / 2;
		h->blocks.size = hooks_block_size(h->site.cells_room);
	}
	proc_each_thread(h->proc, count_without_block, &w);
	for (unsigned i = 1; i < h->blocks.n; i++)
		nfree += hooks_is_free(h, i);
	r = nfree < w.n ? hooks_more_blocks(h, w.n - nfree, err) : 0;
	for (unsigned i = 1; i < h->blocks.n && w.n && !r; i++)
		if (hooks_is_free(h, i)) {
			hooks_need_ring(h, i);
			touch(&hooks_block(h, i)->table);
			touch(hooks_cell_at(h, i, 0));
			w.n--;
		}
	return r;
}

void hooks_learn_stacks(struct hooks *h)
{
	if (h->site.stacktab || h->site.reads_memory)
		proc_each_thread(h->proc, learn_stack, h);
}
