/* hookmem.c: memory of the target that both see: mappings of files without a name, made as they are
 * needed. */
#include "inject/hooks_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/guard.h"
#include "hook/hook_proto.h"
#include "tracer/janitor/janitor.h"

#define NAME "dtrace-fpid" /* of files: so remains of a run that was killed are known */

static bool may_halt(const struct hooks *h)
{
	return !proc_is_still(h->proc) && !h->blocks.is_in_birth;
}

/* Where no thread is to be had soon, they all stand still for it. */
int hooks_remote(struct hooks *h, long nr, const uint64_t args[6], int64_t *result, struct err *err)
{
	int r = proc_syscall(h->proc, nr, args, result);

	if (r == -ESRCH && may_halt(h) && proc_halt(h->proc, NULL) == 0) {
		r = proc_syscall(h->proc, nr, args, result);
		proc_go(h->proc);
	}
	if (!r && *result < 0)
		r = (int)*result;
	return r ? err_set(err, r, "the process may not map memory: %s", strerror(-r)) : 0;
}

static int map_ours(const struct shared_file *f, size_t size, uint8_t **out, struct err *err)
{
	void *p = MAP_FAILED;

	if (ftruncate(f->ours, (off_t)size) == 0)
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, f->ours,
			 0);
	if (p == MAP_FAILED)
		return err_set(err, -errno, "no memory for its hooks: %s", strerror(errno));
	*out = p;
	return 0;
}

/* Holes, which a core file would be filled with. */
static void leave_out_of_dumps(struct hooks *h, taddr_t at, size_t size)
{
	const uint64_t args[6] = {at, size, MADV_DONTDUMP};
	int64_t result;
	struct err err;

	hooks_remote(h, SYS_madvise, args, &result, &err);
}

/*
 * Nothing is written through such a mapping before this: a thread that closes descriptors it does
 * not own may have given the number to a file of the program's. Errors: -EBADF.
 */
static int check_theirs(struct hooks *h, const struct shared_file *f, size_t from,
			const struct hookmap *m, struct err *err)
{
	if (proc_maps_shared(h->proc, f, from, m->at, m->size))
		return 0;
	return err_set(err, -EBADF, "it has mapped another file in place of the memory for hooks");
}

/* From there on in the file; at its address, if it has one already (in a copy by fork). */
static int map_theirs(struct hooks *h, const struct shared_file *f, size_t from, struct hookmap *m,
		      struct err *err)
{
	const uint64_t args[6] = {m->at,
				  m->size,
				  (uint64_t)m->prot,
				  MAP_SHARED | MAP_NORESERVE | (m->at ? MAP_FIXED : 0),
				  (uint64_t)f->theirs,
				  from};
	int64_t result;
	int r = hooks_remote(h, SYS_mmap, args, &result, err);

	if (r)
		return r;
	m->at = (taddr_t)result;
	leave_out_of_dumps(h, m->at, m->size);
	return check_theirs(h, f, from, m, err);
}

static int unmap(struct hooks *h, taddr_t *at, size_t size, struct err *err)
{
	uint64_t args[6] = {*at, size};
	int64_t got;
	int r = *at ? hooks_remote(h, SYS_munmap, args, &got, err) : 0;

	if (!r)
		*at = 0;
	return r;
}

static void unmap_our(struct hookmap *m)
{
	if (m->ours) {
		guard_remove(m->ours);
		munmap(m->ours, m->size);
	}
	m->ours = NULL;
}

void hooks_unmap_ours(struct hooks *h)
{
	for (unsigned i = 0; i < h->mem.nmaps; i++)
		unmap_our(&h->mem.maps[i]);
}

typedef int map_fn(struct hooks *, const struct shared_file *, struct hookmap *, struct err *);
typedef void unmap_fn(struct hooks *, struct hookmap *);

static int map_at_once(struct hooks *h, map_fn *map, unmap_fn *undo, struct hookmap *v,
		       struct err *err)
{
	struct shared_file f;
	int r = proc_share_file(h->proc, NAME, &f);

	if (r)
		return err_set(err, r, "the process may not map memory: %s", strerror(-r));
	r = map(h, &f, v, err);
	if (r)
		undo(h, v);
	close(f.ours);
	proc_close_shared(h->proc, &f);
	return r;
}

/* As remote; and only a vfork child may have been to be had, whose descriptors are its own, or a
 * thread has put another file in the place of ours. */
static int map_memfd(struct hooks *h, map_fn *map, unmap_fn *undo, struct hookmap *v,
		     struct err *err)
{
	struct err why;
	int r = map_at_once(h, map, undo, v, &why);

	if ((r == -ESRCH || r == -EBADF) && may_halt(h) && proc_halt(h->proc, NULL) == 0) {
		r = map_at_once(h, map, undo, v, &why);
		proc_go(h->proc);
	}
	return r ? err_set(err, r, "%s", why.text) : 0;
}

static int map_new(struct hooks *h, const struct shared_file *f, struct hookmap *m, struct err *err)
{
	int r = map_ours(f, m->size, &m->ours, err);

	if (r)
		return r;
	guard_add(m->ours, m->size, &h->mem.nfaults);
	return map_theirs(h, f, 0, m, err);
}

static void unmap_new(struct hooks *h, struct hookmap *m)
{
	struct err err;

	unmap(h, &m->at, m->size, &err);
	unmap_our(m);
}

/* While the process is made to stand still for it, threads are born and get memory, too: there may
 * be more mappings behind than before. */
int hooks_map(struct hooks *h, size_t size, int prot, struct err *err)
{
	struct hookmap m = {.size = ROUND_UP(size, PAGE), .prot = prot};
	int r = map_memfd(h, map_new, unmap_new, &m, err);

	if (r)
		return r;
	h->mem.maps = xrealloc(h->mem.maps, (h->mem.nmaps + 1) * sizeof(*h->mem.maps));
	h->mem.maps[h->mem.nmaps] = m;
	return (int)h->mem.nmaps++;
}

/* At the same addresses: the trampolines are its parent's. There may be many children: one file. */
static int replace_all(struct hooks *h, const struct shared_file *f, struct hookmap *v,
		       struct err *err)
{
	size_t size = 0, from = 0;
	uint8_t *ours = NULL;
	int r;

	for (unsigned i = 0; i < h->mem.nmaps; i++)
		size += v[i].size;
	r = map_ours(f, size, &ours, err);
	if (r)
		return r;
	for (unsigned i = 0; i < h->mem.nmaps && !r; i++) {
		struct hookmap *m = &v[i];

		m->ours = ours + from;
		guard_add(m->ours, m->size, &h->mem.nfaults);
		r = map_theirs(h, f, from, m, err);
		from += m->size;
	}
	if (r && from < size)
		munmap(ours + from, size - from);
	return r;
}

static void unmap_all(struct hooks *h, struct hookmap *v UNUSED)
{
	hooks_unmap_ours(h);
}

int hooks_map_fork_copy(struct hooks *h, const struct hooks *parent, struct err *err)
{
	h->mem.nmaps = parent->mem.nmaps;
	h->mem.maps = xcalloc(h->mem.nmaps, sizeof(*h->mem.maps));
	for (unsigned i = 0; i < h->mem.nmaps; i++)
		h->mem.maps[i] = (struct hookmap){.at = parent->mem.maps[i].at,
						  .size = parent->mem.maps[i].size,
						  .prot = parent->mem.maps[i].prot,
						  .is_rings = parent->mem.maps[i].is_rings};
	return map_memfd(h, replace_all, unmap_all, h->mem.maps, err);
}

/* Of the process alone, and empty in a copy by fork. */
int hooks_map_selfclaim(struct hooks *h, struct err *err)
{
	size_t size =
		ROUND_UP(sizeof(struct hook_selfclaim) + h->blocks.n * sizeof(uint64_t), PAGE);
	uint64_t map[6] = {0,	       size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   UINT64_MAX, 0};
	uint64_t wipe[6] = {0, size, MADV_WIPEONFORK};
	const uint64_t yes = 1;
	int64_t at, got;
	int r = hooks_remote(h, SYS_mmap, map, &at, err);

	if (r)
		return r;
	wipe[0] = (uint64_t)at;
	r = hooks_remote(h, SYS_madvise, wipe, &got, err);
	if (!r)
		r = proc_write_code(h->proc, (taddr_t)at, &yes, sizeof(yes));
	if (!r)
		h->where.selfclaim = (taddr_t)at;
	return r;
}

int hooks_clear_remains(struct proc *p, struct err *err)
{
	return proc_clear_remains(p, NAME, err);
}

int hooks_unmap(struct hooks *h, struct err *err)
{
	int r = 0;

	for (unsigned i = 0; i < h->code.nareas && !r; i++) {
		taddr_t start = h->code.areas[i].start;

		r = unmap(h, &h->code.areas[i].start, h->code.areas[i].size, err);
		if (!r)
			proc_forget_mapped(h->proc, start);
	}
	for (unsigned i = 0; i < h->mem.nmaps && !r; i++)
		r = unmap(h, &h->mem.maps[i].at, h->mem.maps[i].size, err);
	if (!r)
		proc_forget_shared(h->proc);
	return r;
}
