/*
 * pages.h: what the tables of pages of the current process have for an address. Each says where in
 * memory the next one is: the kernel sees it at that distance from where its own mapping of all
 * memory begins (directmap.bpf.c). Only where bpf/typed.h works.
 */
#ifndef BPF_PAGES_H
#define BPF_PAGES_H

#include "providers/kernel/bpf/typed.h"

/* arch/x86: a table is a page of 512 entries. With five levels of them the kernel's half is larger,
 * and its mapping of all memory begins below 0xffff.... */
enum { ENTRY_PRESENT = 1, ENTRY_IS_LARGE = 0x80, ENTRIES = 512, LEVEL_BITS = 9, LEVELS = 5 };
#define ENTRY_ADDRESS	  0x000ffffffffff000ULL
#define FIVE_LEVELS_BELOW 0xffff000000000000ULL

struct mm_struct___pages {
	unsigned long *pgd;
} KERNEL;

struct task_struct___pages {
	struct mm_struct___pages *mm;
} KERNEL;

/* As a number: a pointer to a table is nothing that can be counted with. */
static __always_inline __u64 own_tables(void)
{
	struct task_struct___pages *t = (void *)bpf_get_current_task_btf();
	struct mm_struct___pages *mm = t->mm;

	return mm ? typed_word((__u64)&mm->pgd) : 0;
}

/* The entry that is the last on the way to the address, and the first bit of the address that it
 * says nothing of. */
struct entry {
	__u64 value;
	__u32 at_bit;
};

static __always_inline struct entry find_entry(__u64 tables, __u64 base, __u64 addr)
{
	struct entry e = {0};

	for (int level = LEVELS - 1; level >= 0; level--) {
		__u64 index;

		if (level == LEVELS - 1 && base >= FIVE_LEVELS_BELOW)
			continue;
		e.at_bit = 12 + LEVEL_BITS * level;
		index = addr >> e.at_bit & (ENTRIES - 1);
		e.value = typed_word(tables + 8 * index);
		if (!(e.value & ENTRY_PRESENT) || e.value & ENTRY_IS_LARGE)
			break;
		tables = base + (e.value & ENTRY_ADDRESS);
	}
	return e;
}

#endif
