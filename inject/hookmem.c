/* hookmem.c: memory of the target that both see, and room for stubs near its code. */
#include "inject/hooksint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/guard.h"
#include "inject/hookobj.h"

#define REACH	   0x7ff00000ULL
#define CLOCK_SIZE 4096
#define NAME	   "dtrace-fpid" /* of files: so remains of a run that was killed are known */

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

static int dup_cloexec(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

static int map_whole(int fd, size_t size, size_t exists, void **out, struct err *err)
{
	void *p = MAP_FAILED;

	if (ftruncate(fd, (off_t)exists) == 0)
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (p == MAP_FAILED)
		return err_set(err, -errno, "no memory for its hooks: %s", strerror(errno));
	*out = p;
	return 0;
}

/*
 * All of a file in our own memory. keep: it only reaches as far as it is used (hooks_reach), and is
 * kept open for that; NULL: it has its whole size.
 */
static int map_ours(struct hooks *h, const struct shared_file *f, size_t size, size_t exists,
		    int *keep, void **out, struct err *err)
{
	int kept = keep ? dup_cloexec(f->ours) : -1;
	int r;

	if (keep && kept < 0)
		return err_set(err, -errno, "cannot keep its memory open: %s", strerror(errno));
	r = map_whole(f->ours, size, keep ? exists : size, out, err);
	if (!r)
		guard_add(*out, size, &h->nfaults);
	if (r && keep)
		close(kept);
	else if (keep)
		*keep = kept;
	return r;
}

static size_t blocks_end(const struct hooks *h, unsigned nblocks)
{
	return h->blocks_off + nblocks * h->block_size;
}

static size_t tables_end(const struct hooks *h, unsigned nblocks)
{
	return CLOCK_SIZE + nblocks * h->tables.size;
}

bool hooks_reach(struct hooks *h, unsigned block)
{
	if (block < h->nreached || h->memory_fd < 0)
		return true;
	if (ftruncate(h->memory_fd, (off_t)blocks_end(h, block + 1)) < 0 ||
	    (h->tables_fd >= 0 && ftruncate(h->tables_fd, (off_t)tables_end(h, block + 1)) < 0))
		return false;
	h->nreached = block + 1;
	return true;
}

/* Gigabytes of holes, which a core file would be filled with. */
static void leave_out_of_dumps(struct hooks *h, taddr_t at, size_t size)
{
	const uint64_t args[6] = {at, size, MADV_DONTDUMP};
	int64_t result;
	struct err err;

	remote(h, SYS_madvise, args, &result, &err);
}

/*
 * Nothing is written through such a mapping before this: a thread that closes descriptors it does
 * not own may have given the number to a file of the program's. Errors: -EBADF.
 */
static int check_theirs(struct hooks *h, const struct shared_file *f, size_t from, size_t to,
			taddr_t at, struct err *err)
{
	if (proc_maps_shared(h->proc, f, from, at, to - from))
		return 0;
	return err_set(err, -EBADF, "it has mapped another file in place of the memory for hooks");
}

/* [from, to) of the file, at a given address or (0) anywhere. */
static int map_theirs(struct hooks *h, const struct shared_file *f, size_t from, size_t to,
		      int prot, taddr_t at, taddr_t *got, struct err *err)
{
	uint64_t args[6] = {at,
			    to - from,
			    (uint64_t)prot,
			    MAP_SHARED | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0),
			    (uint64_t)f->theirs,
			    from};
	int64_t result;
	int r = remote(h, SYS_mmap, args, &result, err);

	if (r)
		return r;
	*got = (taddr_t)result;
	leave_out_of_dumps(h, *got, to - from);
	return check_theirs(h, f, from, to, *got, err);
}

/* Of the process alone, and empty in a copy by fork. */
static int map_door(struct hooks *h, struct err *err)
{
	size_t size = ROUND_UP(sizeof(struct hook_door) + h->nblocks * sizeof(uint64_t), 4096);
	uint64_t map[6] = {0,	       size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   UINT64_MAX, 0};
	uint64_t wipe[6] = {0, size, MADV_WIPEONFORK};
	const uint64_t yes = 1;
	int64_t at, got;
	int r = remote(h, SYS_mmap, map, &at, err);

	if (r)
		return r;
	wipe[0] = (uint64_t)at;
	r = remote(h, SYS_madvise, wipe, &got, err);
	if (!r)
		r = proc_write_code(h->proc, (taddr_t)at, &yes, sizeof(yes));
	if (!r)
		h->where.door = (taddr_t)at;
	return r;
}

static int map_both(struct hooks *h, const struct shared_file *f, struct err *err)
{
	void *ours = NULL;
	int r = map_ours(h, f, h->size, blocks_end(h, h->high), h->is_door ? NULL : &h->memory_fd,
			 &ours, err);

	if (r)
		return r;
	h->memory = ours;
	h->nreached = h->high;
	r = map_theirs(h, f, h->rings_off, h->size, PROT_READ | PROT_WRITE, 0, &h->rings_at, err);
	if (!r)
		r = map_theirs(h, f, 0, h->rings_off, PROT_READ, 0, &h->where.shared, err);
	h->where.blocks = h->rings_at + (h->blocks_off - h->rings_off);
	h->where.sites = h->where.shared + SITES_OFF;
	h->where.mem = h->where.shared + h->mem_off;
	h->where.starts = h->where.shared + h->starts_off;
	h->where.rules = h->where.shared + h->rules_off;
	if (!r && h->is_door)
		r = map_door(h, err);
	return r;
}

/* The clock, and tables behind it. */
static int map_table_memory(struct hooks *h, const struct shared_file *f, struct err *err)
{
	void *ours = NULL;
	size_t size;
	int r;

	h->tables.size = h->block_size * HOOK_TABLE_SCALE;
	size = tables_end(h, h->nblocks);
	r = map_ours(h, f, size, tables_end(h, h->nreached),
		     h->memory_fd < 0 ? NULL : &h->tables_fd, &ours, err);
	if (r)
		return r;
	h->tables.clock = ours;
	h->tables.base = (char *)ours + CLOCK_SIZE;
	r = map_theirs(h, f, CLOCK_SIZE, size, PROT_READ | PROT_WRITE, 0, &h->tables_at, err);
	if (!r)
		r = map_theirs(h, f, 0, CLOCK_SIZE, PROT_READ, 0, &h->clock, err);
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

static void close_kept(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void unmap_guarded(void *at, size_t size)
{
	guard_remove(at);
	munmap(at, size);
}

static void unmap_our_memory(struct hooks *h)
{
	if (h->memory)
		unmap_guarded(h->memory, h->size);
	h->memory = NULL;
	close_kept(&h->memory_fd);
}

static void unmap_our_tables(struct hooks *h)
{
	if (h->tables.base)
		unmap_guarded(h->tables.clock, tables_end(h, h->nblocks));
	h->tables = (struct hooks_tables){0};
	close_kept(&h->tables_fd);
}

void hooks_unmap_ours(struct hooks *h)
{
	unmap_our_memory(h);
	unmap_our_tables(h);
}

static int unmap_their_memory(struct hooks *h, struct err *err)
{
	int r = unmap(h, &h->rings_at, h->size - h->rings_off, err);

	return r ? r : unmap(h, &h->where.shared, h->rings_off, err);
}

static int unmap_their_tables(struct hooks *h, struct err *err)
{
	int r = unmap(h, &h->tables_at, h->tables.size * h->nblocks, err);

	return r ? r : unmap(h, &h->clock, CLOCK_SIZE, err);
}

/* What has been mapped before something failed. */
static void unmap_both(struct hooks *h)
{
	struct err err;

	unmap_their_memory(h, &err);
	unmap_our_memory(h);
}

static void unmap_tables(struct hooks *h)
{
	struct err err;

	unmap_their_tables(h, &err);
	unmap_our_tables(h);
}

/* At the same addresses: the stubs are its parent's. */
static int replace_theirs(struct hooks *h, const struct shared_file *f, size_t from, size_t to,
			  int prot, taddr_t at, struct err *err)
{
	const uint64_t args[6] = {at,
				  to - from,
				  (uint64_t)prot,
				  MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
				  (uint64_t)f->theirs,
				  from};
	int64_t result;
	int r = remote(h, SYS_mmap, args, &result, err);

	if (r)
		return r;
	leave_out_of_dumps(h, at, to - from);
	return check_theirs(h, f, from, to, at, err);
}

static int replace_both(struct hooks *h, const struct shared_file *f, struct err *err)
{
	void *ours = NULL;
	int r = map_ours(h, f, h->size, h->size, NULL, &ours, err); /* there may be many children */

	if (r)
		return r;
	h->memory = ours;
	r = replace_theirs(h, f, h->rings_off, h->size, PROT_READ | PROT_WRITE, h->rings_at, err);
	return r ? r : replace_theirs(h, f, 0, h->rings_off, PROT_READ, h->where.shared, err);
}

typedef int map_fn(struct hooks *, const struct shared_file *, struct err *);
typedef void unmap_fn(struct hooks *);

static int map_at_once(struct hooks *h, map_fn *map, unmap_fn *undo, struct err *err)
{
	struct shared_file f;
	int r = proc_share_file(h->proc, NAME, &f);

	if (r)
		return err_set(err, r, "the process may not map memory: %s", strerror(-r));
	r = map(h, &f, err);
	if (r)
		undo(h);
	close(f.ours);
	proc_close_shared(h->proc, &f);
	return r;
}

/* As remote; and only a vfork child may have been to be had, whose descriptors are its own, or a
 * thread has put another file in the place of ours. */
static int map_memfd(struct hooks *h, map_fn *map, unmap_fn *undo, struct err *err)
{
	int r = map_at_once(h, map, undo, err);

	if ((r == -ESRCH || r == -EBADF) && !proc_is_still(h->proc) &&
	    proc_halt(h->proc, NULL) == 0) {
		r = map_at_once(h, map, undo, err);
		proc_go(h->proc);
	}
	return r;
}

int hooks_map(struct hooks *h, struct err *err)
{
	return map_memfd(h, map_both, unmap_both, err);
}

int hooks_map_heir(struct hooks *h, struct err *err)
{
	return map_memfd(h, replace_both, unmap_our_memory, err);
}

int hooks_map_tables(struct hooks *h, struct err *err)
{
	int r = map_memfd(h, map_table_memory, unmap_tables, err);

	for (unsigned i = 1; i < h->high && !r; i++)
		hooks_set_table(h, i);
	return r;
}

int hooks_clear_remains(struct proc *p, struct err *err)
{
	return proc_clear_remains(p, NAME, err);
}

const struct hooks_tables *hooks_tables(const struct hooks *h)
{
	return h && h->clock ? &h->tables : NULL;
}

static bool is_near(taddr_t a, taddr_t b)
{
	return MAX(a, b) - MIN(a, b) < REACH;
}

taddr_t hooks_function(const struct hooks *h, const struct area *a, enum hook_function fn)
{
	bool is_door = h->where.door && fn <= HOOK_FN_AGGREGATE;

	return a->start + ((const struct hook_object *)hookobj_bytes)
				  ->functions[is_door ? HOOK_FN_DOOR + fn : fn];
}

taddr_t hooks_take_block(const struct hooks *h, const struct area *a)
{
	return h->where.door ? hooks_function(h, a, HOOK_FN_TAKE_BLOCK) : 0;
}

static void new_code(struct area *a)
{
	a->code = xcalloc(1, AREA_SIZE);
	a->code_refs = xcalloc(1, sizeof(*a->code_refs));
	*a->code_refs = 1;
	a->is_borrowed = false;
}

/* It is about to be written to. */
static void own_code(struct area *a)
{
	struct area from = *a;

	if (!a->is_borrowed)
		return;
	new_code(a);
	memcpy(a->code, from.code, a->used);
	hooks_free_code(&from);
}

void hooks_free_code(struct area *a)
{
	if (!a->code || --*a->code_refs)
		return;
	free(a->code);
	free(a->code_refs);
}

/* Its own copy of the hook object: calls reach no further than jumps. */
static void begin_area(const struct hooks *h, struct area *a, taddr_t start)
{
	*a = (struct area){.start = start};
	new_code(a);
	memcpy(a->code, hookobj_bytes, HOOKOBJ_SIZE);
	((struct hook_object *)a->code)->where = h->where;
	a->used = (unsigned)ROUND_UP(HOOKOBJ_SIZE, 64);
}

int hooks_area_near(struct hooks *h, taddr_t addr, struct err *err)
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
			    AREA_SIZE) {
			own_code(&h->areas[i]);
			return (int)i;
		}
	args[0] = proc_gap(h->proc, addr, AREA_SIZE);
	if (!args[0])
		return err_set(err, -ENOMEM, "there is no free memory near it");
	proc_note_mapped(h->proc, args[0], AREA_SIZE);
	r = remote(h, SYS_mmap, args, &got, err);
	if (r) {
		proc_forget_mapped(h->proc, args[0]);
		return r;
	}
	h->areas = xrealloc(h->areas, (h->nareas + 1) * sizeof(*h->areas));
	begin_area(h, &h->areas[h->nareas], args[0]);
	return (int)h->nareas++;
}

int hooks_unmap(struct hooks *h, struct err *err)
{
	int r = 0;

	for (unsigned i = 0; i < h->nareas && !r; i++) {
		taddr_t start = h->areas[i].start;

		r = unmap(h, &h->areas[i].start, AREA_SIZE, err);
		if (!r)
			proc_forget_mapped(h->proc, start);
	}
	if (!r)
		r = unmap_their_tables(h, err);
	if (!r)
		r = unmap_their_memory(h, err);
	if (!r)
		proc_forget_shared(h->proc);
	return r;
}
