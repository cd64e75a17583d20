/*
 * blockalloc.c: a thread's first hit, where no tracer has given it a block (struct hook_selfclaim).
 * Nothing waits here: blocks are taken by compare-and-exchange, and a signal handler whose hit
 * comes in between takes one for the thread, so that ours goes back.
 */
#include "hook/tuple.h"
#include "hook/hook.h"

#define HIGHEST_TID (1ULL << 31) /* numbers from here on are no thread's */

static inline uint64_t fs_word(uint64_t off)
{
	uint64_t v;

	__asm__ volatile("mov %%fs:(%1), %0" : "=r"(v) : "r"(off));
	return v;
}

static inline uint64_t this_thread(const struct hook_shared *sh, uint32_t block)
{
	uint32_t tid = sh->tid_word ? (uint32_t)fs_word(sh->tid_word) : 0;

	return tid ? tid : HIGHEST_TID + block; /* no system call: a filter may kill for one */
}

static inline struct hook_block *block_at(uint32_t block)
{
	return (struct hook_block *)(hook_where.blocks + block * hook_where.block_size);
}

/* It is nobody's, or was a thread's whose control block is ours now: it has ended. What it has
 * recorded is to be read under its own number. */
static bool take(struct hook_block *b, uint64_t tid, uint64_t tcb)
{
	uint64_t owner = __atomic_load_n(&b->owner, __ATOMIC_ACQUIRE);

	if (owner == HOOK_LEAVING)
		return false;
	if (owner && (__atomic_load_n(&b->tcb, __ATOMIC_RELAXED) != tcb || b->head != b->tail))
		return false;
	return __atomic_compare_exchange_n(&b->owner, &owner, tid, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

static void give_back(struct hook_block *b)
{
	__atomic_store_n(&b->tcb, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&b->owner, 0, __ATOMIC_RELEASE);
}

/* On another stack than its own a walk stays within a page until the engine has looked. */
static void learn_stack(const struct hook_shared *sh, struct hook_block *b, uint64_t tcb)
{
	uint64_t sp = (uint64_t)__builtin_frame_address(0), low, size;

	b->sp = sp;
	b->stack_start = b->stack_mapped = b->stack_end = 0;
	if (tcb == sh->first_tcb) {
		b->stack_start = sh->first_start;
		b->stack_mapped = sh->first_mapped;
		b->stack_end = sh->first_end;
	} else if (sh->stack_word) {
		low = fs_word(sh->stack_word);
		size = fs_word(sh->stack_word + 8);
		if (tcb < low || tcb - low >= size || sp >= tcb)
			return;
		low += fs_word(sh->stack_word + 16);
		if (sp < low)
			return;
		b->stack_start = b->stack_mapped = low;
		b->stack_end = tcb & ~7ULL;
	}
}

static void begin(const struct hook_shared *sh, struct hook_block *b, uint32_t block, uint64_t tcb)
{
	uint64_t *cells = (uint64_t *)((char *)b + HOOK_BLOCK_HEADER);

	for (uint32_t i = 0; i < sh->nown && i < HOOK_OWN_RANGES; i++)
		for (uint32_t k = 0; k < sh->own[i].n; k++)
			*(volatile uint64_t *)&cells[sh->own[i].first + k] = 0;
	if (sh->has_tid)
		cells[sh->tid_cell] = b->owner;
	b->table = sh->tables ? sh->tables + block * sh->table_size : 0;
	for (uint32_t i = 0; b->table && i < sh->narrays && i < HOOK_ARRAYS; i++) {
		array_clear((char *)b->table, sh->arrays[i]);
	}
	b->vtime = (struct hook_vtime){{0, 0}};
	learn_stack(sh, b, tcb);
	__atomic_store_n(&b->tcb, tcb, __ATOMIC_RELEASE);
}

/* One instruction: what has been there before, which is `old` if the thread has `now` there now. */
static inline uint64_t exchange_word(uint64_t old, uint64_t now)
{
	__asm__ volatile("cmpxchg %2, %%fs:(%1)"
			 : "+a"(old)
			 : "r"(hook_where.word), "r"(now)
			 : "memory", "cc");
	return old;
}

/* Where nobody reads: is_lost: a thread whose calls should have been counted. */
static uint64_t use_overflow_block(const struct hook_shared *sh, bool is_lost)
{
	struct hook_selfclaim *selfclaim = (struct hook_selfclaim *)hook_where.selfclaim;
	uint64_t *block = &selfclaim->blocks[sh->nblocks];
	uint64_t old = fs_word(hook_where.word);

	*block = (uint64_t)block_at(sh->nblocks);
	if (exchange_word(old, (uint64_t)block) == old && is_lost)
		__atomic_fetch_add(&block_at(0)->owner, 1, __ATOMIC_RELAXED);
	return *block;
}

uint64_t hook_take_block(void)
{
	const struct hook_shared *sh = (const struct hook_shared *)hook_where.shared;
	struct hook_selfclaim *selfclaim = (struct hook_selfclaim *)hook_where.selfclaim;
	uint64_t tcb = fs_word(0), old = fs_word(hook_where.word);

	if (!selfclaim->is_original)
		return use_overflow_block(sh, false);
	for (uint32_t i = 1; i < sh->nblocks; i++) {
		struct hook_block *b = block_at(i);
		uint64_t *mine = &selfclaim->blocks[i], had;

		if (!take(b, this_thread(sh, i), tcb))
			continue;
		begin(sh, b, i, tcb);
		*mine = (uint64_t)b;
		had = exchange_word(old, (uint64_t)mine);
		if (had == old)
			return *mine;
		give_back(b);
		return *(uint64_t *)had;
	}
	return use_overflow_block(sh, true);
}
