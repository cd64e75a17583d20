/* hookblocks.c: which thread has which block (hook_proto.h). */
#include "inject/hooksint.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracer/procfs.h"

#define PF_EXITING 4 /* of /proc/PID/stat: linux/sched.h */

struct hook_block *hooks_block(const struct hooks *h, unsigned block)
{
	return (void *)(h->memory + h->blocks_off + block * h->block_size);
}

taddr_t hooks_block_at(const struct hooks *h, unsigned block)
{
	return h->where.blocks + block * h->block_size;
}

void hooks_set_table(struct hooks *h, unsigned block)
{
	hooks_block(h, block)->table = h->clock ? h->tables_at + block * h->tables.size : 0;
}

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

uint64_t *hooks_cells(const struct hooks *h, unsigned block)
{
	return (void *)((char *)hooks_block(h, block) + HOOK_BLOCK_HEADER);
}

static void begin_own_cells(struct hooks *h, unsigned block, pid_t tid)
{
	for (unsigned i = 0; i < h->nown; i++)
		hooks_cells(h, block)[h->own[i]] = i == 0 && h->has_tid_cell ? (uint64_t)tid : 0;
}

unsigned hooks_block_of(const struct hooks *h, const struct thread *t)
{
	for (unsigned i = 1; i < h->high; i++)
		if (h->owners[i].tid == thread_tid(t))
			return i;
	return 0;
}

/* What its last thread has left there is read first. */
bool hooks_is_free(const struct hooks *h, unsigned block)
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
static unsigned free_block(struct hooks *h, taddr_t tcb)
{
	unsigned found = 0;

	for (unsigned i = h->high; i-- > 1;) {
		if (h->owners[i].tid && h->owners[i].tcb == tcb) {
			h->owners[i].is_shared = true;
			return has_ended(h->owners[i].tid) ? i : 0;
		}
		if (hooks_is_free(h, i))
			found = i;
	}
	return found ? found : h->high < h->nblocks ? h->high : 0;
}

/* Where threads take their blocks, many must have large ones before we see how many they are. */
static uint64_t most_for(const struct hooks *h, unsigned block)
{
	if (!h->is_door || block == 1)
		return UINT64_MAX;
	return block <= 8 ? 2U << 20 : block <= 64 ? 256U << 10 : 0;
}

/* A quarter of what is left when all others have small ones: few threads get large rings. */
static uint64_t ring_size(const struct hooks *h, unsigned block)
{
	uint64_t size = h->small_ring, left = h->rings_left - h->nringless * h->small_ring;
	uint64_t most = MIN(left / 4, most_for(h, block));

	if (!h->nringless)
		return 0;
	while (size && size * 2 <= most)
		size *= 2;
	return size;
}

/* Pages that its thread would otherwise wait for. */
static void populate(const struct hooks *h, const struct ring *r)
{
	madvise((void *)(uintptr_t)r->data,
		r->size > h->small_ring ? MIN(r->size, FIRST_LAP) : MIN_RING, MADV_POPULATE_WRITE);
}

/* A block keeps its ring. */
void hooks_need_ring(struct hooks *h, unsigned block)
{
	struct hook_block *b = hooks_block(h, block);
	struct ring *r = &h->ringv[block];

	if (r->size)
		return;
	r->size = ring_size(h, block);
	if (!r->size)
		return;
	r->data = h->memory + h->blocks_off - h->rings_left;
	h->rings_left -= r->size;
	h->nringless--;
	r->block = b;
	b->ring = h->rings_at + (uint64_t)(r->data - h->memory) - h->rings_off;
	b->ring_size = (uint32_t)r->size;
	rings_add(h->rings, r);
	if (!h->is_door || block == 1) /* many may never be taken */
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

	if (!block || !hooks_reach(h, block) || !hooks_set_word(h, tcb, block)) {
		h->nuncounted++;
		return;
	}
	h->owners[block] = (struct owner){.tid = thread_tid(t), .tcb = tcb};
	h->ringv[block].tid = thread_tid(t);
	h->ringv[block].tcb = tcb;
	hooks_need_ring(h, block);
	hooks_set_table(h, block);
	begin_own_cells(h, block, thread_tid(t));
	if (h->stacktab)
		set_stack(h, block, t);
	h->high = MAX(h->high, block + 1);
}

void hooks_left(struct hooks *h, const struct thread *t)
{
	unsigned block = hooks_block_of(h, t);

	if (block && !h->owners[block].is_guest)
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
	/* it has counted those that found no block */
	return h->nuncounted + (h->is_door && h->memory ? hooks_block(h, 0)->owner : 0);
}

bool hooks_are_broken(const struct hooks *h)
{
	return h->nfaults != 0;
}

uint64_t hooks_damaged(const struct hooks *h)
{
	uint64_t n = 0;

	for (unsigned i = 1; i < h->high; i++)
		n += h->ringv[i].nbad;
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
	if (o->is_shared || procfs_is_deep(o->tid))
		return;
	o->is_shared = true;
	h->nuncounted++;
}

/* The child of a vfork runs in the control block of its parent, which sleeps meanwhile. */
static void adopt_guest(struct thread *t, void *arg)
{
	struct hooks *h = ((struct adopting *)arg)->h;
	taddr_t tcb = thread_is_guest(t) ? thread_tcb(t) : 0;

	for (unsigned i = 1; tcb && i < h->high; i++)
		if (h->owners[i].tid && h->owners[i].tcb == tcb) {
			if (h->owners[i].tid != thread_tid(t))
				count_sharing(h, &h->owners[i]);
			return;
		}
	if (!tcb)
		return;
	hooks_born(h, t, tcb);
	if (hooks_block_of(h, t))
		h->owners[hooks_block_of(h, t)].is_guest = true;
}

int hooks_adopt_threads(struct hooks *h, struct err *err)
{
	struct adopting a = {.h = h};

	if (h->is_door)
		return 0;
	proc_each_thread(h->proc, check_thread, &a);
	if (a.failed)
		return err_set(err, -EINVAL, "%s", a.failed);
	proc_each_thread(h->proc, adopt, &a);
	proc_each_thread(h->proc, adopt_guest, &a);
	return 0;
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

	w->n += !hooks_block_of(w->h, t);
}

void hooks_prepare_blocks(struct hooks *h)
{
	struct wanting w = {.h = h};

	if (h->is_door) {
		hooks_door_offer(h);
		return;
	}
	proc_each_thread(h->proc, count_without_block, &w);
	for (unsigned i = 1; i < h->nblocks && w.n; i++)
		if (hooks_is_free(h, i) && hooks_reach(h, i)) {
			hooks_need_ring(h, i);
			*(volatile uint64_t *)hooks_cells(h, i) = 0;
			w.n--;
		}
}

void hooks_learn_stacks(struct hooks *h)
{
	if (h->stacktab)
		proc_each_thread(h->proc, learn_stack, h);
}
