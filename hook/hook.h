/*
 * hook.h: what the files of the hook object share. It runs in the traced program, between any two
 * of its instructions: no libc, no allocation, no lock, no data of its own, no system call on the
 * usual way, and no memory but what hook_proto.h describes and what is proven to be there.
 */
#ifndef HOOK_HOOK_H
#define HOOK_HOOK_H

#include <stdbool.h>
#include <stddef.h>

#include "hook/hook_proto.h"

#define PAGE 4096UL

#pragma GCC visibility push(hidden) /* no table stands between */

extern const struct hook_where hook_where; /* of this copy */

/* From entry.S. */
void hook_dlopen(void);
uint64_t hook_take_block(void); /* the address of the thread's block */

void hook_record(struct hook_block *, uint32_t number, const struct hook_regs *);
void hook_record_full(struct hook_block *, uint32_t number, const struct hook_regs *);
void hook_leave(struct hook_block *, uint64_t start, uint64_t end);

/*
 * The callers of a function whose return address is at sp, outwards, at most max: pcs, and how many
 * there are as the word of HOOK_STACK. rbp: as it is there. Reads only what is known to be mapped.
 */
uint64_t hook_walk(struct hook_block *, const uint64_t *sp, uint64_t rbp, uint64_t *pcs,
		   unsigned max);

/* The same where pc is an instruction of a function, with sp and rbp as they are there. */
uint64_t hook_walk_within(struct hook_block *, uint64_t pc, const uint64_t *sp, uint64_t rbp,
			  uint64_t *pcs, unsigned max);

/* The key that hook_keep_key() was given for this very stack; 0: none, or it is not known. */
uint32_t hook_known_key(struct hook_block *, const uint64_t *sp, uint64_t rbp);
void hook_keep_key(struct hook_block *, const uint64_t *sp, uint32_t key); /* right behind a walk */

/* From entry.S: of memory that is there, or has been: returns how much it could load. */
uint64_t hook_load(void *to, uint64_t from, uint64_t n, bool is_text);

/* Bytes that could be read, of n; characters of a text and its NUL, if that comes before max. */
uint64_t hook_read_bytes(struct hook_block *, const uint64_t *sp, void *to, uint64_t addr,
			 uint64_t n);
uint64_t hook_read_text(struct hook_block *, const uint64_t *sp, char *to, uint64_t addr,
			uint64_t max);

/*
 * Words of the thread's table for what is in the making, which the first one says (agg_proto.h,
 * rooms). NULL: all are in use by what handlers of signals have interrupted. sp: how deep we are.
 */
uint64_t *hook_take_room(struct hook_block *, const uint64_t *sp, uint64_t rooms);
static inline void hook_leave_room(uint64_t *room)
{
	__asm__ volatile("" : : : "memory");
	room[0] = 0;
}

/* The thread's time on CPUs (struct hook_vtime), in ns. None: the program filters its system calls
 * by now. */
struct hook_value hook_vtime(struct hook_block *);
/* The same for a native clause, which drops what it would do then. */
struct hook_value hook_vtime_or_drop(struct hook_block *);

/* The number of the entry of that group with these words; 0: there is no room. */
uint32_t hook_find_entry(struct hook_block *, uint32_t group, const uint64_t *words, uint32_t n);
void hook_drop_value(struct hook_block *);	      /* it has found no room */
void hook_lose_assignment(const struct hook_block *); /* the same of what is assigned */

/* The pieces of memory of a site, as HOOK_MEM has them; returns where the record goes on. */
uint64_t *hook_copy_memory(uint64_t *to, struct hook_block *, const struct hook_site *,
			   const struct hook_regs *, const uint64_t *sp);

#pragma GCC visibility pop

/* One instruction: no signal comes between. */
static inline void hook_count(struct hook_block *b, uint32_t cell)
{
	uint64_t *cells = (uint64_t *)((char *)b + HOOK_BLOCK_HEADER);

	__asm__ volatile("incq %0" : "+m"(cells[cell]) : : "cc");
}

#endif
