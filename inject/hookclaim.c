/*
 * hookclaim.c: threads that nobody stops take their blocks themselves (struct hook_selfclaim). We
 * learn of it when we look: who has a block, and who of them is gone, so that another may take it.
 */
#include "inject/hooks_priv.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"

#include "tracer/procfs/procfs.h"

#define AHEAD	192 /* blocks that have rings before they are taken */
#define GAP	64  /* threads take the first that is free: behind so many there are no more */
#define DEAD_NS 20000000U /* between two looks for threads that have ended */

static struct hook_shared *shared_of(const struct hooks *h)
{
	return hooks_shared(h);
}

/* Blocks [1, n) can be taken, the next one, the last, is nobody's. Not from memory that the target
 * may have changed. */
static unsigned nblocks_of(const struct hooks *h)
{
	return h->blocks.n - 1;
}

/* Of the first thread, which waits for us, the C library has put it where we think it is. */
static bool has_tid_word(struct hooks *h, taddr_t tcb)
{
	int32_t tid;

	return proc_read_code(h->proc, tcb + h->tls.tid, &tid, sizeof(tid)) == sizeof(tid) &&
	       tid == proc_pid(h->proc);
}

#define PTHREAD_WORDS 512 /* of struct pthread, and to spare */

/*
 * glibc keeps stackblock, stackblock_size and guardsize side by side (struct pthread,
 * nptl/descr.h), at a place of each version's own. The first thread's size is where its stack
 * began: __libc_stack_end
 * (__tls_init_tp). 0: there is no such word, or more than one.
 */
static uint64_t find_stack_word(struct hooks *h, taddr_t tcb)
{
	taddr_t start = procfs_start_stack(proc_pid(h->proc));
	uint64_t words[PTHREAD_WORDS], found = 0;
	ssize_t n = start ? proc_read_code(h->proc, tcb, words, sizeof(words)) : 0;

	for (size_t i = 1; n > 0 && i < (size_t)n / sizeof(words[0]); i++) {
		if (words[i] != start)
			continue;
		if (found)
			return 0;
		found = (i - 1) * sizeof(words[0]);
	}
	return found;
}

static void learn_first(struct thread *t, void *arg)
{
	struct hooks *h = arg;
	struct hook_shared *sh = shared_of(h);
	struct thread_stack st = {0};

	if (!thread_is_stopped(t))
		return;
	sh->first_tcb = thread_tcb(t);
	sh->tid_word = has_tid_word(h, sh->first_tcb) ? h->tls.tid : 0;
	sh->stack_word = find_stack_word(h, sh->first_tcb);
	thread_stack(t, &st);
	sh->first_start = st.start;
	sh->first_mapped = st.mapped;
	sh->first_end = st.end;
}

void hooks_selfclaim_begin(struct hooks *h)
{
	shared_of(h)->nblocks = nblocks_of(h);
	hooks_block(h, nblocks_of(h))->given_up = 1;
	proc_each_thread(h->proc, learn_first, h);
}

static void offer_rings(struct hooks *h)
{
	unsigned n = 0, nempty = 0;

	for (unsigned i = 1; i < nblocks_of(h) && n < AHEAD; i++)
		if (hooks_is_free(h, i)) {
			hooks_need_ring(h, i);
			nempty += !h->ring.v[i].size;
			n++;
		}
	h->blocks.is_short = h->ring.smallest && nempty >= AHEAD / 2;
}

void hooks_selfclaim_offer(struct hooks *h)
{
	struct hook_shared *sh = shared_of(h);

	sh->tables = h->table.clock ? h->mem.maps[h->blocks.v[0].table_map].at : 0;
	sh->table_size = h->table.clock ? h->blocks.v[1].table_off : 0;
	memcpy(sh->own, h->site.own, sizeof(sh->own));
	memcpy(sh->arrays, h->table.arrays, sizeof(sh->arrays));
	__atomic_store_n(&sh->narrays, h->table.narrays, __ATOMIC_RELEASE);
	sh->has_tid = h->site.has_tid_cell;
	sh->tid_cell = h->site.tid_cell;
	__atomic_store_n(&sh->nown, h->site.nown, __ATOMIC_RELEASE);
	offer_rings(h);
}

/* ---- who has come and gone ---- */

static bool is_thread(const struct hooks *h, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", proc_pid(h->proc), tid);
	return access(path, F_OK) == 0;
}

static void see_owner(struct hooks *h, unsigned block, pid_t tid, taddr_t tcb)
{
	struct hook_block *b = hooks_block(h, block);
	struct thread_stack st;

	h->blocks.owners[block] = (struct owner){.tid = tid, .tcb = tcb};
	h->ring.v[block].tid = tid;
	h->ring.v[block].tcb = tcb;
	h->blocks.high = MAX(h->blocks.high, block + 1);
	hooks_need_ring(h, block);
	/* the number is of memory that the program can write: of no other process */
	if ((h->site.stacktab || h->site.reads_memory) && !b->stack_end && is_thread(h, tid) &&
	    proc_stack(h->proc, tid, b->sp, tcb, &st)) {
		b->stack_start = st.start;
		b->stack_mapped = st.mapped;
		__atomic_store_n(&b->stack_end, st.end, __ATOMIC_RELEASE);
	}
}

/* Its counts stay; what it has recorded has been read. Another thread may have come by its control
 * block, and taken the block, before we saw that it ended. */
static void free_block(struct hooks *h, unsigned block)
{
	struct hook_block *b = hooks_block(h, block);
	pid_t tid = h->blocks.owners[block].tid;
	uint64_t owner = (uint64_t)tid;

	h->blocks.owners[block].tid = 0;
	if (!hooks_is_free(h, block) ||
	    !__atomic_compare_exchange_n(&b->owner, &owner, HOOK_LEAVING, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED)) {
		h->blocks.owners[block].tid = tid;
		return;
	}
	__atomic_store_n(&b->tcb, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&b->owner, 0, __ATOMIC_RELEASE);
}

void hooks_look(struct hooks *h)
{
	bool look_for_dead = h->blocks.is_short || now_mono() - h->blocks.looked_ns >= DEAD_NS;
	unsigned n = h->is_selfclaim ? nblocks_of(h) : 0;

	if (look_for_dead)
		h->blocks.looked_ns = now_mono();
	for (unsigned i = 1; i < n && i < h->blocks.high + GAP; i++) {
		const struct hook_block *b = hooks_block(h, i);
		pid_t tid = (pid_t)__atomic_load_n(&b->owner, __ATOMIC_ACQUIRE);
		taddr_t tcb = __atomic_load_n(&b->tcb, __ATOMIC_ACQUIRE);

		if (!tid || !tcb)
			continue;
		if (h->blocks.owners[i].tid != tid || h->blocks.owners[i].tcb != tcb)
			see_owner(h, i, tid, tcb);
		else if (look_for_dead && !is_thread(h, tid))
			free_block(h, i);
	}
	if (n)
		hooks_selfclaim_offer(h);
}
