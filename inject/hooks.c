#include "inject/hooks.h"

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "inject/emit.h"
#include "inject/hookobj.h"
#include "inject/jumps.h"
#include "tracer/procfs.h"
#include "inject/stacktab.h"

#define SITES_OFF      4096
#define PF_EXITING     4 /* of /proc/PID/stat: linux/sched.h */
#define AREA_SIZE      (1U << 20)
#define MAX_SPACE      (512U << 20) /* of addresses; memory is taken where something counts */
#define MORE_ROOM      16384U	    /* sites of libraries that come later */
#define MIN_BLOCKS     16
#define MAX_BLOCKS     4096
#define RULES_MAX      (4U << 20)
#define ASK_NS	       5000000U
#define MEM_ROWS       65536U
#define LISTS_SIZE     (16U << 20)
#define MIN_RING       16384U
#define FIRST_LAP      (2U << 20)    /* bytes of a ring that are used first */
#define PATIENCE_TICKS 3000000000ULL /* about a second */
#define PIECE_ROOM     1024U	     /* bytes of pieces for a window, where there are any */
#define OWN_CELLS      64
#define LINE	       64U /* of the cache: a stub that fits into one lies in one */
#define REACH	       0x7ff00000ULL
#define LOW_LIMIT      0x7fff0000ULL /* counters are addressed by 31 bits */

/* Memory for stubs near some module, filled here and written at the next commit. It begins with a
 * copy of the hook object. */
struct area {
	taddr_t start;
	unsigned used, written;
	unsigned promised; /* bytes that places may need at the next commit */
	uint8_t *code;
};

struct call {
	enum hook_function function;
	uint32_t number;
	struct native *piece; /* this is done instead */
};

struct hook_place {
	struct hooked *window;
	bool counts;
	uint32_t cell;
	unsigned ncalls;
	struct call calls[PAYLOAD_MAX - 1];
};

/* A window: its places are those of its stops. */
struct hooked {
	struct hooked *next; /* that is not written yet either */
	taddr_t addr, island, function;
	uint8_t bytes[RELOC_WINDOW_MAX];
	unsigned size, area, nstops;
	unsigned promised;   /* of its area */
	unsigned piece_room; /* of that: for pieces that may come */
	unsigned npieces;    /* bytes of pieces */
	bool is_careful, is_written;
	struct reloc_stop stops[RELOC_STOPS];
	struct hook_place places[RELOC_STOPS];
};

struct numbers {
	uint32_t *v;
	unsigned n, room;
};

struct hooks {
	struct proc *proc;
	pid_t fd_tid; /* of the thread that has opened the memory */
	struct insn_decoder *decoder;
	/* the memory: offsets are of our mapping */
	uint8_t *memory;
	size_t size, mem_off, starts_off, rules_off, lists_off, blocks_off, rings_off;
	struct stacktab *stacktab; /* NULL: no stack is recorded */
	struct hook_where where;
	struct tlsword tls;
	size_t block_size;
	unsigned nblocks, high; /* blocks [0, high) have been given out */
	struct owner {
		pid_t tid; /* 0: free */
		taddr_t tcb;
		bool is_guest; /* whose parent will have the block */
	} * owners;
	struct ring *ringv;	 /* of the blocks; size 0: it has none */
	struct rings *rings;	 /* their reader */
	uint64_t rings_left;	 /* bytes */
	struct hook_site *sites; /* our own copy, which nobody else can change */
	uint32_t nmem;		 /* rows that are taken */
	uint64_t asked_ns;	 /* when hooks_may_call looked */
	uint32_t sites_room, nsites, cells_room, ncells;
	struct hooks_tables tables; /* base NULL: none */
	taddr_t tables_at, clock;   /* in the target; 0: there is none */
	uint32_t own[OWN_CELLS];    /* cells that belong to a thread; the first holds its number */
	unsigned nown;
	bool has_tid_cell;
	struct numbers free_cells, free_sites; /* of code that is gone */
	struct hash by_addr;		       /* window */
	struct hooked *unwritten, **unwritten_tail;
	struct area *areas;
	unsigned nareas;
	struct jumps jumps;
	uint64_t nuncounted;
};

static void forget_pieces(struct hook_place *place)
{
	for (unsigned i = 0; i < place->ncalls; i++) {
		free(place->calls[i].piece);
		place->calls[i].piece = NULL;
	}
}

static void forget_all_pieces(struct hooked *w)
{
	for (unsigned i = 0; i < w->nstops; i++)
		forget_pieces(&w->places[i]);
}

static void free_window(struct hooked *w)
{
	forget_all_pieces(w);
	free(w);
}

/* ---- memory of the target ---- */

/* Where no thread is to be had soon, they all stand still for it. */
static int remote(struct hooks *h, long nr, const uint64_t args[6], int64_t *result,
		  struct err *err)
{
	int r = proc_syscall(h->proc, nr, args, result);

	if (r == -ESRCH && !proc_is_still(h->proc) && proc_halt(h->proc, NULL) == 0) {
		r = proc_syscall(h->proc, nr, args, result);
		proc_go(h->proc);
	}
	if (!r && *result < 0)
		r = (int)*result;
	return r ? err_set(err, r, "the process may not map memory: %s", strerror(-r)) : 0;
}

/* All of a memfd of the target's in our own memory, where it gets its size. */
static int map_ours(struct hooks *h, int64_t fd, size_t size, void **out, struct err *err)
{
	char path[64];
	void *p;
	int ours;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", h->fd_tid, (int)fd);
	ours = open(path, O_RDWR | O_CLOEXEC);
	if (ours < 0)
		return err_set(err, -errno, "cannot open its memory: %s", strerror(errno));
	if (ftruncate(ours, (off_t)size) < 0) {
		close(ours);
		return err_set(err, -errno, "no memory for its hooks: %s", strerror(errno));
	}
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, ours, 0);
	close(ours);
	if (p == MAP_FAILED)
		return err_set(err, -errno, "no memory for its hooks: %s", strerror(errno));
	*out = p;
	return 0;
}

/* [from, to) of the memory, at a given address or (0) anywhere. */
static int map_theirs(struct hooks *h, int64_t fd, size_t from, size_t to, int prot, taddr_t at,
		      taddr_t *got, struct err *err)
{
	uint64_t args[6] = {at,
			    to - from,
			    (uint64_t)prot,
			    MAP_SHARED | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0),
			    (uint64_t)fd,
			    from};
	int64_t result;
	int r = remote(h, SYS_mmap, args, &result, err);

	if (!r)
		*got = (taddr_t)result;
	return r;
}

static int map_both(struct hooks *h, int64_t fd, struct err *err)
{
	size_t n = h->size - h->blocks_off;
	void *ours;
	taddr_t low;
	int r = map_ours(h, fd, h->size, &ours, err);

	if (r)
		return r;
	h->memory = ours;
	low = proc_low_gap(h->proc, LOW_LIMIT, n);
	if (!low)
		return err_set(err, -ENOMEM, "it has no free addresses below 2 GiB");
	r = map_theirs(h, fd, h->blocks_off, h->size, PROT_READ | PROT_WRITE, low, &h->where.blocks,
		       err);
	if (!r)
		r = map_theirs(h, fd, 0, h->blocks_off, PROT_READ, 0, &h->where.shared, err);
	h->where.sites = h->where.shared + SITES_OFF;
	h->where.mem = h->where.shared + h->mem_off;
	h->where.starts = h->where.shared + h->starts_off;
	h->where.rules = h->where.shared + h->rules_off;
	return r;
}

/* Tables, and the clock behind them. */
static int map_table_memory(struct hooks *h, int64_t fd, struct err *err)
{
	size_t size = h->block_size * HOOK_TABLE_SCALE, all = size * h->nblocks;
	void *ours;
	int r = map_ours(h, fd, all + 4096, &ours, err);

	if (r)
		return r;
	h->tables = (struct hooks_tables){
		.base = ours, .size = size, .clock = (void *)((char *)ours + all)};
	r = map_theirs(h, fd, 0, all, PROT_READ | PROT_WRITE, 0, &h->tables_at, err);
	if (!r)
		r = map_theirs(h, fd, all, all + 4096, PROT_READ, 0, &h->clock, err);
	return r;
}

static int unmap(struct hooks *h, taddr_t *at, size_t size, struct err *err)
{
	uint64_t args[6] = {*at, size};
	int64_t got;
	int r = *at ? remote(h, SYS_munmap, args, &got, err) : 0;

	if (!r)
		*at = 0;
	return r;
}

static void unmap_ours(struct hooks *h)
{
	if (h->memory)
		munmap(h->memory, h->size);
	h->memory = NULL;
}

/* What has been mapped before something failed. */
static void unmap_both(struct hooks *h)
{
	struct err err;

	unmap(h, &h->where.blocks, h->size - h->blocks_off, &err);
	unmap(h, &h->where.shared, h->blocks_off, &err);
	unmap_ours(h);
}

static void unmap_tables(struct hooks *h)
{
	size_t all = h->tables.size * h->nblocks;
	struct err err;

	unmap(h, &h->tables_at, all, &err);
	unmap(h, &h->clock, 4096, &err);
	if (h->tables.base)
		munmap(h->tables.base, all + 4096);
	h->tables = (struct hooks_tables){0};
}

static struct hook_block *block_at(const struct hooks *h, unsigned block)
{
	return (void *)(h->memory + h->blocks_off + block * h->block_size);
}

static void set_table(struct hooks *h, unsigned block)
{
	block_at(h, block)->table = h->clock ? h->tables_at + block * h->tables.size : 0;
}

typedef int map_fn(struct hooks *, int64_t fd, struct err *);
typedef void unmap_fn(struct hooks *);

static int map_at_once(struct hooks *h, map_fn *map, unmap_fn *undo, struct err *err)
{
	uint64_t args[6] = {0};
	int64_t fd, got;
	struct err why;
	int r = proc_memfd(h->proc, "dtrace-fpid", &fd, &h->fd_tid);

	if (r)
		return err_set(err, r, "the process may not map memory: %s", strerror(-r));
	r = map(h, fd, err);
	if (r)
		undo(h);
	args[0] = (uint64_t)fd;
	if (r != -EBADF)
		remote(h, SYS_close, args, &got, &why);
	return r;
}

/* As remote; and only a vfork child may have been to be had, whose descriptors are its own. */
static int map_memfd(struct hooks *h, map_fn *map, unmap_fn *undo, struct err *err)
{
	int r = map_at_once(h, map, undo, err);

	if ((r == -ESRCH || r == -EBADF || r == -ENOENT) && !proc_is_still(h->proc) &&
	    proc_halt(h->proc, NULL) == 0) {
		r = map_at_once(h, map, undo, err);
		proc_go(h->proc);
	}
	return r;
}

int hooks_map_tables(struct hooks *h, struct err *err)
{
	int r = map_memfd(h, map_table_memory, unmap_tables, err);

	for (unsigned i = 1; i < h->high && !r; i++)
		set_table(h, i);
	return r;
}

const struct hooks_tables *hooks_tables(const struct hooks *h)
{
	return h && h->clock ? &h->tables : NULL;
}

static bool is_near(taddr_t a, taddr_t b)
{
	return MAX(a, b) - MIN(a, b) < REACH;
}

static taddr_t function_at(const struct area *a, enum hook_function fn)
{
	const struct hook_object *o = (const void *)hookobj_bytes;

	return a->start + o->functions[fn];
}

/* Its own copy of the hook object: calls reach no further than jumps. */
static void begin_area(const struct hooks *h, struct area *a, taddr_t start)
{
	*a = (struct area){.start = start, .code = xcalloc(1, AREA_SIZE)};
	memcpy(a->code, hookobj_bytes, HOOKOBJ_SIZE);
	((struct hook_object *)a->code)->where = h->where;
	a->used = (unsigned)ROUND_UP(HOOKOBJ_SIZE, 64);
}

/* Its number, or a negative error. */
static int area_near(struct hooks *h, taddr_t addr, struct err *err)
{
	uint64_t args[6] = {0,
			    AREA_SIZE,
			    PROT_READ | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE,
			    UINT64_MAX,
			    0};
	int64_t got;
	int r;

	for (unsigned i = h->nareas; i-- > 0;)
		if (is_near(h->areas[i].start, addr) &&
		    h->areas[i].used + h->areas[i].promised + RELOC_CODE_MAX + PIECE_ROOM <=
			    AREA_SIZE)
			return (int)i;
	args[0] = proc_gap(h->proc, addr, AREA_SIZE);
	if (!args[0])
		return err_set(err, -ENOMEM, "there is no free memory near it");
	r = remote(h, SYS_mmap, args, &got, err);
	if (r)
		return r;
	h->areas = xrealloc(h->areas, (h->nareas + 1) * sizeof(*h->areas));
	begin_area(h, &h->areas[h->nareas], args[0]);
	return (int)h->nareas++;
}

/* ---- threads ---- */

static bool is_control_block(struct hooks *h, taddr_t tcb)
{
	taddr_t self;

	return tcb &&
	       proc_read_code(h->proc, tcb + h->tls.self, &self, sizeof(self)) == sizeof(self) &&
	       self == tcb;
}

static bool set_word(struct hooks *h, taddr_t tcb, unsigned block)
{
	uint64_t distance = (uint64_t)block * h->block_size;

	return proc_write_code(h->proc, tcb + h->tls.word, &distance, sizeof(distance)) == 0;
}

static uint64_t *cells_at(const struct hooks *h, unsigned block)
{
	return (void *)((char *)block_at(h, block) + HOOK_BLOCK_HEADER);
}

static void begin_own_cells(struct hooks *h, unsigned block, pid_t tid)
{
	for (unsigned i = 0; i < h->nown; i++)
		cells_at(h, block)[h->own[i]] = i == 0 && h->has_tid_cell ? (uint64_t)tid : 0;
}

static unsigned block_of(const struct hooks *h, const struct thread *t)
{
	for (unsigned i = 1; i < h->high; i++)
		if (h->owners[i].tid == thread_tid(t))
			return i;
	return 0;
}

/* What its last thread has left there is read first. */
static bool is_free(const struct hooks *h, unsigned block)
{
	const struct ring *r = &h->ringv[block];

	return !h->owners[block].tid &&
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
static unsigned free_block(const struct hooks *h, taddr_t tcb)
{
	unsigned found = 0;

	for (unsigned i = h->high; i-- > 1;) {
		if (h->owners[i].tid && h->owners[i].tcb == tcb)
			return has_ended(h->owners[i].tid) ? i : 0;
		if (is_free(h, i))
			found = i;
	}
	return found ? found : h->high < h->nblocks ? h->high : 0;
}

/* A quarter of what is left: few threads get large rings, and many still get some. */
static uint64_t ring_size(const struct hooks *h)
{
	uint64_t size = MIN_RING;

	if (h->rings_left < MIN_RING)
		return 0;
	while (size * 2 <= h->rings_left / 4)
		size *= 2;
	return size;
}

/* A block keeps its ring. */
static void need_ring(struct hooks *h, unsigned block)
{
	struct hook_block *b = block_at(h, block);
	struct ring *r = &h->ringv[block];

	if (r->size)
		return;
	r->size = ring_size(h);
	if (!r->size)
		return;
	r->data = h->memory + h->size - h->rings_left;
	h->rings_left -= r->size;
	r->block = b;
	b->ring = (uint64_t)(r->data - (const uint8_t *)b);
	b->ring_size = (uint32_t)r->size;
	rings_add(h->rings, r);
	madvise((void *)(uintptr_t)r->data, MIN(r->size, FIRST_LAP), MADV_POPULATE_WRITE);
}

/* On another stack a walk stays within a page. */
static void set_stack(struct hooks *h, unsigned block, struct thread *t)
{
	struct hook_block *b = block_at(h, block);
	struct thread_stack st = {0};

	thread_stack(t, &st);
	b->stack_start = st.start;
	b->stack_mapped = st.mapped;
	b->stack_end = st.end;
}

/* The block that its vfork child has had; 0: none. */
static unsigned guests_block(const struct hooks *h, taddr_t tcb)
{
	for (unsigned i = 1; i < h->high; i++)
		if (h->owners[i].tid && h->owners[i].is_guest && h->owners[i].tcb == tcb)
			return i;
	return 0;
}

static unsigned choose_block(struct hooks *h, taddr_t tcb)
{
	unsigned block = is_control_block(h, tcb) ? guests_block(h, tcb) : 0;

	return block || !is_control_block(h, tcb) ? block : free_block(h, tcb);
}

void hooks_born(struct hooks *h, struct thread *t, taddr_t tcb)
{
	unsigned block = choose_block(h, tcb);

	if (!block || !set_word(h, tcb, block)) {
		h->nuncounted++;
		return;
	}
	h->owners[block] = (struct owner){.tid = thread_tid(t), .tcb = tcb};
	h->ringv[block].tid = thread_tid(t);
	h->ringv[block].tcb = tcb;
	need_ring(h, block);
	set_table(h, block);
	begin_own_cells(h, block, thread_tid(t));
	if (h->stacktab)
		set_stack(h, block, t);
	h->high = MAX(h->high, block + 1);
}

void hooks_left(struct hooks *h, const struct thread *t)
{
	unsigned block = block_of(h, t);

	if (block)
		h->owners[block].tid = 0;
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
	return h->nuncounted;
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

	if (!thread_is_guest(t) && thread_is_stopped(t) && !block_of(a->h, t))
		hooks_born(a->h, t, thread_tcb(t));
}

/* The child of a vfork runs in the control block of its parent, which sleeps meanwhile. */
static void adopt_guest(struct thread *t, void *arg)
{
	struct hooks *h = ((struct adopting *)arg)->h;
	taddr_t tcb = thread_is_guest(t) ? thread_tcb(t) : 0;

	for (unsigned i = 1; tcb && i < h->high; i++)
		if (h->owners[i].tid && h->owners[i].tcb == tcb)
			return;
	if (!tcb)
		return;
	hooks_born(h, t, tcb);
	if (block_of(h, t))
		h->owners[block_of(h, t)].is_guest = true;
}

/* Every thread counts somewhere before it can run into a hook. The process stands still. */
static int adopt_threads(struct hooks *h, struct err *err)
{
	struct adopting a = {.h = h};

	proc_each_thread(h->proc, check_thread, &a);
	if (a.failed)
		return err_set(err, -EINVAL, "%s", a.failed);
	proc_each_thread(h->proc, adopt, &a);
	proc_each_thread(h->proc, adopt_guest, &a);
	return 0;
}

/* ---- hooks ---- */

static int lay_out(struct hooks *h, const struct hooks_sizes *sizes, struct err *err)
{
	h->sites_room = sizes->nsites + sizes->nsites / 2 + MORE_ROOM;
	h->cells_room = h->sites_room + OWN_CELLS; /* counts, or what a site has lost */
	h->block_size = ROUND_UP(HOOK_BLOCK_HEADER + (size_t)h->cells_room * 8, 4096);
	h->nblocks = (unsigned)MIN(MAX_SPACE / h->block_size, (size_t)MAX_BLOCKS);
	if (h->nblocks < MIN_BLOCKS)
		return err_set(err, -ENOSPC, "there are too many functions");
	h->where.block_size = h->block_size;
	h->mem_off = ROUND_UP(SITES_OFF + h->sites_room * sizeof(struct hook_site), 4096);
	h->starts_off = h->mem_off + MEM_ROWS * sizeof(struct hook_mem);
	h->rules_off = h->starts_off + RULES_MAX * sizeof(uint32_t);
	h->lists_off = h->rules_off + RULES_MAX * sizeof(struct hook_rule);
	h->blocks_off = h->lists_off + LISTS_SIZE;
	h->rings_off = h->blocks_off + h->nblocks * h->block_size;
	h->rings_left = ROUND_UP(sizes->ring_bytes, 4096);
	h->size = h->rings_off + h->rings_left;
	return 0;
}

/* What is this process's own; sizes are known. */
static void begin(struct hooks *h, struct proc *p, struct rings *rings, void *owner)
{
	h->proc = p;
	h->high = 1;
	h->owners = xcalloc(h->nblocks, sizeof(*h->owners));
	h->sites = xcalloc(h->sites_room, sizeof(*h->sites));
	h->rings = rings;
	h->ringv = xcalloc(h->nblocks, sizeof(*h->ringv));
	for (unsigned i = 0; i < h->nblocks; i++)
		h->ringv[i] =
			(struct ring){.sites = h->sites, .nsites = &h->nsites, .owner = owner};
	h->decoder = insn_decoder_new();
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

int hooks_new(struct proc *p, const struct hooks_sizes *sizes, struct hooks **out, struct err *err)
{
	struct hooks *h = xcalloc(1, sizeof(*h));
	int r;

	h->tls = sizes->tls;
	h->where.word = sizes->tls.word;
	r = lay_out(h, sizes, err);
	if (r) {
		free(h);
		return r;
	}
	begin(h, p, sizes->rings, sizes->owner);
	r = map_memfd(h, map_both, unmap_both, err);
	if (r) {
		hooks_free(h);
		return r;
	}
	((struct hook_shared *)h->memory)->version = HOOK_VERSION;
	*out = h;
	return 0;
}

void hooks_free(struct hooks *h)
{
	struct hooked *w;

	if (!h)
		return;
	for (unsigned i = 1; i < h->nblocks; i++)
		if (h->ringv[i].size)
			rings_remove(h->rings, &h->ringv[i]);
	if (h->memory)
		munmap(h->memory, h->size);
	if (h->tables.base)
		munmap(h->tables.base, h->tables.size * h->nblocks + 4096);
	for (unsigned i = 0; i < h->nareas; i++)
		free(h->areas[i].code);
	for (size_t i = 0; (w = hash_each(&h->by_addr, &i, NULL));)
		free_window(w);
	jumps_release(&h->jumps);
	stacktab_free(h->stacktab);
	free(h->areas);
	free(h->owners);
	free(h->ringv);
	free(h->sites);
	free(h->free_cells.v);
	free(h->free_sites.v);
	hash_release(&h->by_addr);
	insn_decoder_free(h->decoder);
	free(h);
}

/* ---- cells and sites ---- */

static void give_back(struct numbers *free_ones, uint32_t number)
{
	if (free_ones->n == free_ones->room) {
		free_ones->room = MAX(2 * free_ones->room, 64U);
		free_ones->v = xrealloc(free_ones->v, free_ones->room * sizeof(*free_ones->v));
	}
	free_ones->v[free_ones->n++] = number;
}

int hooks_new_cell(struct hooks *h, uint32_t *cell, struct err *err)
{
	if (h->free_cells.n) {
		*cell = h->free_cells.v[--h->free_cells.n];
		for (unsigned i = 1; i < h->high; i++)
			cells_at(h, i)[*cell] = 0;
		return 0;
	}
	if (h->ncells == h->cells_room)
		return err_set(err, -ENOSPC, "no counter is left");
	*cell = h->ncells++;
	return 0;
}

uint64_t hooks_cell(const struct hooks *h, uint32_t cell)
{
	uint64_t n = 0;

	for (unsigned i = 1; i < h->high; i++)
		n += __atomic_load_n(&cells_at(h, i)[cell], __ATOMIC_RELAXED);
	return n;
}

unsigned hooks_nblocks(const struct hooks *h)
{
	return h->high;
}

uint64_t *hooks_cells_of(const struct hooks *h, pid_t tid)
{
	for (unsigned i = 1; i < h->high; i++)
		if (h->owners[i].tid == tid)
			return cells_at(h, i);
	return NULL;
}

int hooks_own_cell(struct hooks *h, bool is_tid, uint32_t *cell, struct err *err)
{
	int r;

	if (is_tid && h->has_tid_cell) {
		*cell = h->own[0];
		return 0;
	}
	if (h->nown == OWN_CELLS)
		return err_set(err, -ENOSPC, "too many thread-local variables");
	r = hooks_new_cell(h, cell, err);
	if (r)
		return r;
	h->own[h->nown++] = *cell;
	if (is_tid) {
		h->own[h->nown - 1] = h->own[0];
		h->own[0] = *cell;
		h->has_tid_cell = true;
	}
	for (unsigned i = 1; i < h->high; i++)
		cells_at(h, i)[*cell] = is_tid ? (uint64_t)h->owners[i].tid : 0;
	return 0;
}

int hooks_new_site(struct hooks *h, uint32_t *number, struct err *err)
{
	if (h->free_sites.n) {
		*number = h->free_sites.v[--h->free_sites.n];
		return 0;
	}
	if (h->nsites == h->sites_room)
		return err_set(err, -ENOSPC, "no place for another probe is left");
	*number = h->nsites++;
	return 0;
}

void hooks_set_site(struct hooks *h, uint32_t number, const struct hook_site *site)
{
	h->sites[number] = *site;
	((struct hook_site *)(h->memory + SITES_OFF))[number] = *site;
}

void hooks_need_stacks(struct hooks *h)
{
	const struct stacktab_room room = {.shared = (void *)h->memory,
					   .starts = (void *)(h->memory + h->starts_off),
					   .rules = (void *)(h->memory + h->rules_off),
					   .nrules = RULES_MAX,
					   .lists = h->memory + h->lists_off,
					   .lists_size = LISTS_SIZE};

	if (!h->stacktab)
		h->stacktab = stacktab_new(&room);
	stacktab_update(h->stacktab, h->proc);
}

int hooks_mem(struct hooks *h, const struct hook_mem *mem, unsigned n, uint16_t *first,
	      struct err *err)
{
	struct hook_mem *rows = (void *)(h->memory + h->mem_off);

	for (uint32_t i = 0; i + n <= h->nmem; i++)
		if (!memcmp(rows + i, mem, n * sizeof(*mem))) {
			*first = (uint16_t)i;
			return 0;
		}
	if (n > MEM_ROWS - h->nmem)
		return err_set(err, -ENOSPC, "too many pieces of memory are asked for");
	memcpy(rows + h->nmem, mem, n * sizeof(*mem));
	*first = (uint16_t)h->nmem;
	h->nmem += n;
	return 0;
}

bool hooks_may_call(struct hooks *h)
{
	struct hook_shared *sh = (void *)h->memory;
	struct timespec now;
	uint64_t mode, now_ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	now_ns = (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
	if (now_ns - h->asked_ns < ASK_NS)
		return sh->may_call;
	h->asked_ns = now_ns;
	sh->may_call = procfs_status(proc_pid(h->proc), "Seccomp", 10, &mode) && !mode;
	return sh->may_call;
}

/* CPUID: Intel SDM 2A, leaf 7. */
static bool has_rdpid(void)
{
	unsigned a, b, c, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c & bit_RDPID);
}

void hooks_record(struct hooks *h, bool waits)
{
	const uint64_t args[6] = {h->where.blocks + (h->rings_off - h->blocks_off),
				  MIN(h->rings_left, FIRST_LAP), MADV_POPULATE_WRITE};
	struct hook_shared *sh = (void *)h->memory;
	const uint64_t none[6] = {0};
	int64_t got;

	sh->patience = waits ? PATIENCE_TICKS : 0;
	sh->has_rdpid = has_rdpid();
	sh->is_recording = 1;
	if (!proc_syscall(h->proc, SYS_getpid, none, &got))
		sh->pid = (uint32_t)got;
	proc_syscall(h->proc, SYS_madvise, args, &got);
}

/* ---- places ---- */

/* May the bytes of a window be replaced? Where threads are is looked at when that is done. */
static int check_window(struct hooks *h, const struct hooked *w, struct err *err)
{
	uint8_t now[RELOC_WINDOW_MAX];

	if (bkpt_is_in(h->proc, w->addr, w->addr + w->size))
		return err_set(err, -EBUSY, "a breakpoint stands there");
	if (proc_read_code(h->proc, w->addr, now, w->size) != (ssize_t)w->size ||
	    memcmp(now, w->bytes, w->size) != 0)
		return err_set(err, -EBUSY, "its code differs from the file");
	if (w->island && bkpt_is_in(h->proc, w->island, w->island + JUMP_LEN))
		return err_set(err, -EBUSY, "something stands in the padding it needs");
	return 0;
}

static int add_jumps(struct hooks *h, const struct hooked *w, taddr_t stub, const uint16_t *twins)
{
	struct jump last = {.addr = w->addr, .len = JUMP_LEN, .function = w->function};
	struct jump island = {.addr = w->island, .len = JUMP_LEN, .function = w->function};
	int r;

	if (w->island) {
		last.len = SHORT_JUMP_LEN;
		r = jump_emit(w->island, stub, island.code);
		if (!r)
			r = short_jump_emit(w->addr, w->island, last.code);
		if (!r && proc_read_code(h->proc, w->island, island.orig, JUMP_LEN) != JUMP_LEN)
			r = -EFAULT;
	} else {
		r = jump_emit(w->addr, stub, last.code);
	}
	if (r)
		return r;
	memcpy(last.orig, w->bytes, last.len);
	last.stub = stub;
	memcpy(last.twins, twins, sizeof(last.twins));
	jumps_add(&h->jumps, &last);
	if (w->island)
		jumps_add(&h->jumps, &island);
	return 0;
}

static struct payloads payloads_of(const struct hooks *h, const struct hook_place *place)
{
	const struct area *a = &h->areas[place->window->area];
	struct payloads ps = {0};

	if (place->counts)
		ps.v[ps.n++] =
			(struct payload){.kind = PAYLOAD_COUNT,
					 .cell = (uint32_t)(h->where.blocks + HOOK_BLOCK_HEADER +
							    (uint64_t)place->cell * 8)};
	for (unsigned i = 0; i < place->ncalls; i++) {
		const struct call *c = &place->calls[i];

		ps.v[ps.n++] = (struct payload){.kind = c->piece ? PAYLOAD_PIECE : PAYLOAD_CALL,
						.function = function_at(a, c->function),
						.number = c->number,
						.piece = c->piece};
	}
	return ps;
}

static int emit_at(struct hooks *h, const struct hooked *w, struct reloc *stub, struct err *err)
{
	const struct area *a = &h->areas[w->area];
	struct payloads payloads[RELOC_STOPS];
	struct stub_request sr = {.moved = {.bytes = w->bytes,
					    .n = w->size,
					    .from = w->addr,
					    .to = a->start + a->used,
					    .need = w->size,
					    .stops = w->stops,
					    .nstops = w->nstops},
				  .payloads = payloads,
				  .is_careful = w->is_careful,
				  .word = h->tls.word};

	for (unsigned i = 0; i < w->nstops; i++)
		payloads[i] = payloads_of(h, &w->places[i]);
	return stub_emit(h->decoder, &sr, stub, err);
}

static struct hooked *new_window(const struct hook_request *rq)
{
	const struct window *win = rq->window;
	struct hooked *w = xcalloc(1, sizeof(*w));

	w->addr = rq->addr;
	w->function = rq->function;
	w->island = win->island ? win->island + rq->bias : 0;
	w->size = win->size;
	memcpy(w->bytes, rq->bytes, win->size);
	w->is_careful = rq->is_careful;
	w->nstops = win->nstops;
	memcpy(w->stops, win->stops, sizeof(w->stops));
	for (unsigned i = 0; i < w->nstops; i++)
		w->places[i].window = w;
	return w;
}

static int add_window(struct hooks *h, struct hooked *w, struct err *err)
{
	struct reloc stub;
	int r = area_near(h, w->addr, err);

	if (r < 0)
		return r;
	w->area = (unsigned)r;
	r = emit_at(h, w, &stub, err);
	if (!r)
		r = check_window(h, w, err);
	if (r)
		return r;
	w->piece_room = h->tables.base ? PIECE_ROOM : 0;
	w->promised = stub.len + w->nstops * PAYLOAD_MAX * PAYLOAD_SIZE + 16 + w->piece_room;
	h->areas[w->area].promised += w->promised;
	*h->unwritten_tail = w;
	h->unwritten_tail = &w->next;
	hash_put(&h->by_addr, w->addr, w);
	return 0;
}

int hooks_add(struct hooks *h, const struct hook_request *rq,
	      struct hook_place *places[RELOC_STOPS], struct err *err)
{
	struct hooked *w = hash_get(&h->by_addr, rq->addr);
	int r;

	if (w && (w->nstops != rq->window->nstops ||
		  memcmp(w->stops, rq->window->stops, sizeof(w->stops)) != 0))
		return err_set(err, -EBUSY, "it is hooked already for something else");
	if (!w) {
		w = new_window(rq);
		r = add_window(h, w, err);
		if (r) {
			free(w);
			return r;
		}
	}
	for (unsigned i = 0; i < w->nstops; i++)
		places[i] = &w->places[i];
	return 0;
}

static int is_too_late(const struct hook_place *place, struct err *err)
{
	return place->window->is_written
		       ? err_set(err, -EBUSY, "it is hooked already for something else")
		       : 0;
}

int hooks_count_at(struct hooks *h, struct hook_place *place, uint32_t *cell, struct err *err)
{
	int r = 0;

	if (!place->counts) {
		r = is_too_late(place, err);
		if (!r)
			r = hooks_new_cell(h, &place->cell, err);
		if (r)
			return r;
		place->counts = true;
	}
	*cell = place->cell;
	return 0;
}

int hooks_count_in(struct hook_place *place, uint32_t cell, struct err *err)
{
	int r = is_too_late(place, err);

	if (place->counts && place->cell == cell)
		return 0;
	if (!r && place->counts)
		r = err_set(err, -EBUSY, "it is counted already");
	if (!r) {
		place->counts = true;
		place->cell = cell;
	}
	return r;
}

int hooks_call_at(struct hooks *h UNUSED, struct hook_place *place, enum hook_function fn,
		  uint32_t number, struct err *err)
{
	unsigned i = 0;
	int r = is_too_late(place, err);

	if (r)
		return r;
	while (i < place->ncalls && (place->calls[i].piece || place->calls[i].number != number))
		i++;
	if (i == ARRAY_SIZE(place->calls))
		return err_set(err, -ENOSPC, "too much is asked for at one place");
	place->calls[i] = (struct call){.function = fn, .number = number};
	place->ncalls = MAX(place->ncalls, i + 1);
	return 0;
}

bool hooks_calls_at(const struct hook_place *place, enum hook_function fn, uint32_t *number)
{
	for (unsigned i = 0; i < place->ncalls; i++)
		if (!place->calls[i].piece && place->calls[i].function == fn) {
			*number = place->calls[i].number;
			return true;
		}
	return false;
}

/* A piece takes of the room that was promised for the pieces of its window; its code will be part
 * of the stub. */
static void use_room(struct area *a, struct hooked *w, unsigned data, unsigned code)
{
	unsigned paid = MIN(data + code, w->piece_room), promised = w->promised;

	w->piece_room -= paid;
	w->promised = promised - paid + code;
	w->npieces += code;
	a->promised = a->promised - promised + w->promised;
	a->used += data;
}

int hooks_piece_at(struct hooks *h, struct hook_place *place, piece_fn *fn, void *arg,
		   struct err *err)
{
	struct hooked *w = place->window;
	struct area *a = &h->areas[w->area];
	unsigned taken = a->used + a->promised - w->piece_room, size = 0;
	unsigned room = taken < AREA_SIZE ? AREA_SIZE - taken : 0;
	struct piece *p;
	int r = is_too_late(place, err);

	if (r)
		return r;
	p = xcalloc(1, sizeof(*p));
	p->place = (struct native_place){.word = h->tls.word,
					 .blocks = h->where.blocks,
					 .is_careful = w->is_careful,
					 .frame = NATIVE_ANY_FRAME};
	p->clock = h->clock;
	p->table_size = h->tables.size;
	p->aggregate = function_at(a, HOOK_FN_AGGREGATE);
	p->at = a->start + a->used;
	p->aggs = (void *)(a->code + a->used);
	p->naggs = room / sizeof(*p->aggs);
	r = place->ncalls < ARRAY_SIZE(place->calls) ? fn(arg, p) : -ENOSPC;
	if (!r) {
		size = (unsigned)ROUND_UP(p->naggs * sizeof(*p->aggs), 16);
		if (size + p->code.len > room || w->npieces + p->code.len > NATIVE_MAX)
			r = -ENOSPC;
	}
	if (!r) {
		place->calls[place->ncalls++] =
			(struct call){.function = HOOK_FN_AGGREGATE, .piece = native_dup(&p->code)};
		use_room(a, w, size, p->code.len);
	}
	free(p);
	return r ? err_set(err, r, "too much is asked for at one place") : 0;
}

void hooks_clear_at(struct hook_place *place)
{
	place->counts = false;
	forget_pieces(place);
	place->ncalls = 0;
}

static bool has_work(const struct hooked *w)
{
	for (unsigned i = 0; i < w->nstops; i++)
		if (w->places[i].counts || w->places[i].ncalls)
			return true;
	return false;
}

/* All that could fail has been tried when the window was added. */
static int finish_window(struct hooks *h, struct hooked *w, struct err *err)
{
	struct area *a = &h->areas[w->area];
	struct reloc stub;
	int r;

	a->promised -= w->promised;
	if (!has_work(w)) {
		hash_del(&h->by_addr, w->addr);
		free(w);
		return 0;
	}
	r = emit_at(h, w, &stub, err);
	if (!r && stub.len <= LINE && a->used % LINE + stub.len > LINE) {
		a->used = ROUND_UP(a->used, LINE);
		r = emit_at(h, w, &stub, err);
	}
	if (!r)
		r = add_jumps(h, w, a->start + a->used, stub.twins);
	if (r)
		return r;
	memcpy(a->code + a->used, stub.code, stub.len);
	a->used += ROUND_UP(stub.len, 32);
	w->is_written = true;
	forget_all_pieces(w);
	return 0;
}

static int write_stubs(struct hooks *h, struct err *err)
{
	int r = 0;

	for (unsigned i = 0; i < h->nareas && !r; i++) {
		struct area *a = &h->areas[i];

		r = proc_write_code(h->proc, a->start + a->written, a->code + a->written,
				    a->used - a->written);
		a->written = a->used;
	}
	return r ? err_set(err, r, "its memory cannot be written: %s", strerror(-r)) : 0;
}

struct wanting {
	const struct hooks *h;
	unsigned n;
};

static void learn_stack(struct thread *t, void *arg)
{
	struct hooks *h = arg;
	unsigned block = block_of(h, t);

	if (block && !block_at(h, block)->stack_end)
		set_stack(h, block, t);
}

static void count_without_block(struct thread *t, void *arg)
{
	struct wanting *w = arg;

	w->n += !block_of(w->h, t);
}

/* Memory for the blocks of its threads is taken while they run. */
static void prepare_blocks(struct hooks *h)
{
	struct wanting w = {.h = h};

	proc_each_thread(h->proc, count_without_block, &w);
	for (unsigned i = 1; i < h->nblocks && w.n; i++)
		if (is_free(h, i)) {
			need_ring(h, i);
			*(volatile uint64_t *)cells_at(h, i) = 0;
			w.n--;
		}
}

/* A process that runs is stopped for this, and for nothing else. */
static int write_jumps(struct hooks *h, struct err *err)
{
	bool is_still = proc_is_still(h->proc);
	int r = is_still ? 0 : proc_halt(h->proc, err);

	if (r)
		return r;
	r = adopt_threads(h, err);
	if (!r && h->stacktab)
		proc_each_thread(h->proc, learn_stack, h);
	if (!r)
		jumps_write(&h->jumps);
	if (!is_still)
		proc_go(h->proc);
	return r;
}

static void forget_window(struct hooks *h, struct hooked *w)
{
	hash_del(&h->by_addr, w->addr);
	free_window(w);
}

struct dropping {
	struct hooks *h;
	hooks_blocked_fn *blocked;
	void *arg;
};

static void drop(const struct jump *j, void *arg)
{
	const struct dropping *d = arg;
	struct hooked *w = hash_get(&d->h->by_addr, j->addr);

	if (w)
		forget_window(d->h, w);
	d->blocked(j->function, d->arg);
}

/* Stubs first: a jump never leads to where nothing is. */
int hooks_commit(struct hooks *h, hooks_blocked_fn *blocked, void *arg, struct err *err)
{
	struct dropping d = {.h = h, .blocked = blocked, .arg = arg};
	int r = 0;

	while (h->unwritten && !r) {
		struct hooked *w = h->unwritten;

		h->unwritten = w->next;
		r = finish_window(h, w, err);
	}
	if (!h->unwritten)
		h->unwritten_tail = &h->unwritten;
	if (!r)
		r = write_stubs(h, err);
	if (!r && h->jumps.n > h->jumps.nwritten) {
		jumps_prepare(&h->jumps);
		prepare_blocks(h);
		r = write_jumps(h, err);
	}
	jumps_drop(&h->jumps, drop, &d);
	return r;
}

static void forget_unwritten(struct hooks *h, const struct hash *functions)
{
	struct hooked **at = &h->unwritten, *w;

	while ((w = *at))
		if (hash_get(functions, w->function)) {
			h->areas[w->area].promised -= w->promised;
			*at = w->next;
		} else {
			at = &w->next;
		}
	h->unwritten_tail = at;
}

/* What its code counted in is free for others. All returns of a function count in one cell. */
static void free_numbers(struct hooks *h, const struct hooked *w, struct hash *cells)
{
	for (unsigned i = 0; i < w->nstops; i++) {
		const struct hook_place *place = &w->places[i];

		if (place->counts)
			hash_put(cells, place->cell, h);
		for (unsigned k = 0; k < place->ncalls; k++) {
			const struct call *c = &place->calls[k];

			if (c->function == HOOK_FN_AGGREGATE)
				continue;
			hash_put(cells, h->sites[c->number].drops_cell, h);
			give_back(&h->free_sites, c->number);
		}
	}
}

void hooks_unmapped(struct hooks *h, const struct hash *functions)
{
	struct hash cells;
	struct hooked *w;
	uint64_t cell;

	hash_init(&cells);
	forget_unwritten(h, functions);
	for (size_t i = 0; (w = hash_each(&h->by_addr, &i, NULL));)
		if (hash_get(functions, w->function)) {
			free_numbers(h, w, &cells);
			forget_window(h, w);
		}
	for (size_t i = 0; hash_each(&cells, &i, &cell);)
		give_back(&h->free_cells, (uint32_t)cell);
	hash_release(&cells);
	jumps_forget(&h->jumps, functions);
}

/* ---- the end ---- */

struct looking {
	const struct hooks *h;
	bool found;
};

static bool is_in_stubs(taddr_t pc, void *arg)
{
	const struct looking *l = arg;

	for (unsigned i = 0; i < l->h->nareas; i++)
		if (pc >= l->h->areas[i].start && pc < l->h->areas[i].start + AREA_SIZE)
			return true;
	return false;
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
	unsigned block = block_of(h, t);

	if (block)
		set_word(h, h->owners[block].tcb, 0);
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

int hooks_unmap(struct hooks *h, struct err *err)
{
	int r = 0;

	for (unsigned i = 0; i < h->nareas && !r; i++)
		r = unmap(h, &h->areas[i].start, AREA_SIZE, err);
	if (!r)
		r = unmap(h, &h->tables_at, h->tables.size * h->nblocks, err);
	if (!r)
		r = unmap(h, &h->clock, 4096, err);
	if (!r)
		r = unmap(h, &h->where.blocks, h->size - h->blocks_off, err);
	return r ? r : unmap(h, &h->where.shared, h->blocks_off, err);
}

/* ---- a child by fork ---- */

/* At the same addresses: the stubs are its parent's. */
static int replace_theirs(struct hooks *h, int64_t fd, size_t from, size_t to, int prot, taddr_t at,
			  struct err *err)
{
	const uint64_t args[6] = {
		at,	      to - from, (uint64_t)prot, MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
		(uint64_t)fd, from};
	int64_t result;

	return remote(h, SYS_mmap, args, &result, err);
}

static int replace_both(struct hooks *h, int64_t fd, struct err *err)
{
	void *ours;
	int r = map_ours(h, fd, h->size, &ours, err);

	if (r)
		return r;
	h->memory = ours;
	r = replace_theirs(h, fd, h->blocks_off, h->size, PROT_READ | PROT_WRITE, h->where.blocks,
			   err);
	return r ? r : replace_theirs(h, fd, 0, h->blocks_off, PROT_READ, h->where.shared, err);
}

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
		a->code = xcalloc(1, AREA_SIZE);
		a->written = a->used;
		a->promised = 0;
		memcpy(a->code, parent->areas[i].code, a->used);
		if (proc_read_code(h->proc, a->start, &byte, 1) == 1)
			continue;
		a->start = 0;
		a->used = a->written = AREA_SIZE;
	}
}

static void copy_window(struct hooks *h, const struct hooked *from)
{
	struct hooked *w = xcalloc(1, sizeof(*w));

	*w = *from;
	w->next = NULL;
	for (unsigned i = 0; i < w->nstops; i++)
		w->places[i].window = w;
	hash_put(&h->by_addr, w->addr, w);
}

static int copy_hooks(struct hooks *h, const struct hooks *parent, struct hash *functions,
		      struct err *err)
{
	if (jumps_inherit(&h->jumps, &parent->jumps))
		return err_set(err, -ENOSPC, "too many functions are hooked in all");
	for (size_t i = 0; i < h->jumps.n; i++) {
		const struct jump *j = &h->jumps.v[i];
		const struct hooked *w = hash_get(&parent->by_addr, j->addr);

		if (w)
			copy_window(h, w);
		hash_put(functions, j->function, h);
	}
	return 0;
}

void hooks_take_padding(const struct hooks *h, struct codescan *scan, taddr_t bias)
{
	for (size_t i = 0; i < h->jumps.nwritten; i++)
		codescan_take(scan, h->jumps.v[i].addr - bias, h->jumps.v[i].len, true);
}

int hooks_inherit(const struct hooks *parent, const struct hooks_heir *heir, struct hooks **out,
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
			    .rings_left = parent->size - parent->rings_off,
			    .nmem = parent->nmem,
			    .sites_room = parent->sites_room,
			    .nsites = parent->nsites,
			    .cells_room = parent->cells_room,
			    .ncells = parent->ncells,
			    .nareas = parent->nareas};
	begin(h, heir->proc, heir->rings, heir->owner);
	copy_areas(h, parent);
	r = map_memfd(h, replace_both, unmap_ours, err);
	if (!r) {
		copy_shared(h, parent);
		r = copy_hooks(h, parent, heir->functions, err);
	}
	if (!r && parent->stacktab)
		hooks_need_stacks(h);
	if (!r)
		r = adopt_threads(h, err);
	if (r) {
		jumps_take_out(&h->jumps);
		jumps_clean(&parent->jumps, heir->proc);
		hooks_free(h);
		return r;
	}
	*out = h;
	return 0;
}
