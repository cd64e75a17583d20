#include "tracer/slot.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "tracer/mem.h"
#include "tracer/x86/regs.h"
#include "tracer/remote.h"

#define REGION_SIZE (1U << 20) /* 32 768 slots; only what is used takes memory */
#define PADDING_MIN (2UL * SLOT_SIZE)

static struct slot_region *region_add(struct proc *p, taddr_t start, uint32_t nslots, bool mapped)
{
	struct slots *s = &p->slots;
	struct slot_region *r;

	s->r = xrealloc(s->r, (s->n + 1) * sizeof(*s->r));
	r = &s->r[s->n++];
	memset(r, 0, sizeof(*r));
	r->start = start;
	r->nslots = nslots;
	r->mapped_by_us = mapped;
	r->owners = xcalloc(nslots, sizeof(struct site *));
	s->lo = s->n == 1 ? start : MIN(s->lo, start);
	s->hi = MAX(s->hi, start + (uint64_t)nslots * SLOT_SIZE);
	if (mapped)
		journal_add_memory(p->tracer->journal, p->pid, start, REGION_SIZE);
	return r;
}

static struct slot_region *region_map(struct proc *p, taddr_t near)
{
	struct thread *t = proc_borrow(p);
	uint64_t args[6] = {0,
			    REGION_SIZE,
			    PROT_READ | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE,
			    UINT64_MAX,
			    0};
	int64_t got = -1;

	p->slots.unreached = !t;
	if (!t)
		return NULL;
	/* what is known of the map may be old: a place that is taken by now is refused */
	for (bool again = !p->maps.n;; again = true) {
		if (again && vmmap_read(&p->maps, t->tid) < 0)
			break;
		args[0] = vmmap_gap(&p->maps, near, REGION_SIZE);
		if (!args[0] || remote_syscall(t, SYS_mmap, args, &got) < 0)
			got = -1;
		if (again || got >= 0)
			break;
	}
	proc_give_back(t);
	if (got < 0 || (taddr_t)got != args[0])
		return NULL;
	/* the last slot says whose it is, for a later run (remains.c) */
	mem_write(p->mem_fd, args[0] + REGION_SIZE - sizeof(SLOT_MARK), SLOT_MARK,
		  sizeof(SLOT_MARK));
	return region_add(p, args[0], REGION_SIZE / SLOT_SIZE - 1, true);
}

/* Where the file's text ends within the last page of an executable mapping: the bytes after it are
 * mapped, executable, and nobody's. */
static taddr_t text_end(const struct proc *p, const struct vma *v)
{
	uint8_t page[PAGE];
	taddr_t last = v->end - sizeof(page);
	size_t n = sizeof(page);

	if (mem_read(p, last, page, n) != (ssize_t)n)
		return v->end;
	while (n && page[n - 1] == 0)
		n--;
	/* The last instruction may end in zeros. */
	return ROUND_UP(last + n + INSN_MAX, (uint64_t)SLOT_SIZE);
}

bool slot_is_region(const struct proc *p, taddr_t start)
{
	for (unsigned i = 0; i < p->slots.n; i++)
		if (p->slots.r[i].start == start)
			return true;
	return false;
}

static struct slot_region *region_padding(struct proc *p, taddr_t near)
{
	for (size_t i = 0; i < p->maps.n; i++) {
		const struct vma *v = &p->maps.v[i];
		taddr_t start;

		if (!v->exec || v->write || v->shared || v->vdso || !v->ino)
			continue;
		if (MAX(v->end, near) - MIN(v->end, near) > 0x70000000)
			continue;
		start = text_end(p, v);
		if (start + PADDING_MIN <= v->end && !slot_is_region(p, start))
			return region_add(p, start, (uint32_t)((v->end - start) / SLOT_SIZE),
					  false);
	}
	return NULL;
}

static bool take_slot(struct slot_region *r, struct site *s)
{
	uint8_t code[SLOT_SIZE];
	taddr_t at = r->start + (uint64_t)r->used * SLOT_SIZE;

	if (r->used == r->nslots || insn_slot(&s->plan, at, code) < 0)
		return false;
	r->owners[r->used++] = s;
	s->slot = at;
	s->slot_written = false;
	return true;
}

bool slot_take(struct proc *p, struct site *s)
{
	for (unsigned i = p->slots.n; i-- > 0;)
		if (take_slot(&p->slots.r[i], s))
			return true;
	return false;
}

int slot_alloc(struct proc *p, struct site *s, struct err *err)
{
	struct slot_region *r;

	if (slot_take(p, s))
		return 0;
	r = p->slots.refused ? NULL : region_map(p, s->pc);
	p->slots.refused = !r;
	while (!r || !take_slot(r, s)) {
		r = region_padding(p, s->pc);
		if (!r && p->slots.unreached)
			return err_set(err, -EAGAIN,
				       "no thread of process %d stops to map memory near 0x%lx",
				       p->pid, s->pc);
		if (!r)
			return err_set(err, -ENOMEM,
				       "process %d allows no executable memory near 0x%lx", p->pid,
				       s->pc);
	}
	return 0;
}

void slot_inherit(struct proc *child, const struct proc *parent)
{
	for (unsigned i = 0; i < parent->slots.n; i++) {
		const struct slot_region *r = &parent->slots.r[i];
		struct slot_region *own = region_add(child, r->start, r->nslots, r->mapped_by_us);

		own->used = r->used;
		for (uint32_t k = 0; k < r->used; k++)
			if (r->owners[k])
				own->owners[k] = hash_get(&child->sites, r->owners[k]->pc);
	}
}

/* Neighbouring slots go out in one write. */
int slot_write(struct proc *p, struct site *const *sites, size_t n)
{
	uint8_t buf[128 * SLOT_SIZE];
	size_t len = 0;
	taddr_t start = 0;
	int r = 0;

	for (size_t i = 0; i < n; i++) {
		struct site *s = sites[i];

		if (!s->slot || s->slot_written)
			continue;
		if (len && (s->slot != start + len || len == sizeof(buf))) {
			r = mem_write(p->mem_fd, start, buf, len);
			len = 0;
		}
		if (r)
			return r;
		if (!len)
			start = s->slot;
		insn_slot(&s->plan, s->slot, buf + len);
		len += SLOT_SIZE;
		s->slot_written = true;
	}
	return len ? mem_write(p->mem_fd, start, buf, len) : 0;
}

struct site *slot_at(const struct proc *p, taddr_t addr, unsigned *off)
{
	if (addr < p->slots.lo || addr >= p->slots.hi)
		return NULL;
	for (unsigned i = 0; i < p->slots.n; i++) {
		const struct slot_region *r = &p->slots.r[i];
		uint64_t d = addr - r->start;

		if (addr < r->start || d >= (uint64_t)r->used * SLOT_SIZE)
			continue;
		*off = (unsigned)(d % SLOT_SIZE);
		return r->owners[d / SLOT_SIZE];
	}
	return NULL;
}

void slot_clear_padding(struct proc *p)
{
	static const uint8_t zeros[PAGE];

	for (unsigned i = 0; i < p->slots.n; i++) {
		const struct slot_region *r = &p->slots.r[i];

		if (!r->mapped_by_us)
			mem_write(p->mem_fd, r->start, zeros, (size_t)r->nslots * SLOT_SIZE);
	}
}

void slot_unmap(struct thread *t)
{
	struct proc *p = t->proc;

	for (unsigned i = 0; i < p->slots.n; i++) {
		const struct slot_region *r = &p->slots.r[i];
		const uint64_t args[6] = {r->start, REGION_SIZE};
		int64_t got;

		if (r->mapped_by_us && remote_syscall(t, SYS_munmap, args, &got) < 0)
			return;
	}
}

void slot_release(struct proc *p)
{
	for (unsigned i = 0; i < p->slots.n; i++)
		free(p->slots.r[i].owners);
	free(p->slots.r);
	memset(&p->slots, 0, sizeof(p->slots));
}
