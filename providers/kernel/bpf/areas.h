/*
 * areas.h: what is mapped at an address of the current process.
 */
#ifndef BPF_AREAS_H
#define BPF_AREAS_H

#include "providers/kernel/bpf/filter.h"

struct file;

struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_flags, vm_pgoff;
	void *vm_ops;
	struct file *vm_file;
} KERNEL;

struct maple_tree {
	void *ma_root;
} KERNEL;

struct mm_struct___area {
	struct maple_tree mm_mt;
	unsigned long brk, stack_vm;
} KERNEL;

/* Which changes whenever areas do; since Linux 6.4, since 6.13 as a seqcount_t. */
struct seqcount___area {
	unsigned int sequence;
} KERNEL;

struct mm_struct___seqcount {
	struct seqcount___area mm_lock_seq;
} KERNEL;

struct mm_struct___seq {
	int mm_lock_seq;
} KERNEL;

struct task_struct___area {
	struct mm_struct___area *mm;
	__u64 self_exec_id;
	int pagefault_disabled;
} KERNEL;

enum { AREA_WRITE = 2, AREA_SHARED = 8, AREA_GROWS_DOWN = 0x100 }; /* include/linux/mm.h */

struct area {
	__u64 start, end, flags, ops;
	__u64 addr; /* of its struct vm_area_struct */
	__u32 is_found;
};

/* A node of the tree (include/linux/maple_tree.h): its kind is in its address. */
#define MAPLE_PIVOTS 15
#define MAPLE_DEPTH  8
enum { MAPLE_LEAF = 1, MAPLE_RANGE = 2, MAPLE_ARANGE = 3 };
enum { MAPLE_RANGE_SLOTS = 128, MAPLE_ARANGE_SLOTS = 80, MAPLE_ARANGE_PIVOTS = 9 };

static __always_inline __u32 maple_slot(const __u64 *pivots, __u32 n, __u64 addr)
{
	for (__u32 i = 0; i < MAPLE_PIVOTS; i++)
		if (i == n || addr <= pivots[i] || (i && !pivots[i]))
			return i;
	return MAPLE_PIVOTS;
}

/*
 * The kernel's own search, without its lock, which bpf_find_vma() is refused while somebody waits
 * for it, and gives back by an interrupt to itself, which costs more than the fault. A fault holds
 * the area it is in.
 */
static __noinline __u64 walk_areas(__u64 addr)
{
	struct task_struct___area *t = (void *)bpf_get_current_task_btf();
	__u64 node = (__u64)BPF_CORE_READ(t, mm, mm_mt.ma_root), pivots[MAPLE_PIVOTS];

	for (int i = 0; i < MAPLE_DEPTH; i++) {
		__u64 kind = node >> 3 & 15, base = node & ~0xffULL;
		__u32 slot;

		if (kind < MAPLE_LEAF || kind > MAPLE_ARANGE)
			return 0;
		if (bpf_probe_read_kernel(pivots, sizeof(pivots), (void *)(base + 8)))
			return 0;
		slot = maple_slot(pivots, kind == MAPLE_ARANGE ? MAPLE_ARANGE_PIVOTS : MAPLE_PIVOTS,
				  addr);
		base += kind == MAPLE_ARANGE ? MAPLE_ARANGE_SLOTS : MAPLE_RANGE_SLOTS;
		if (bpf_probe_read_kernel(&node, sizeof(node), (void *)(base + 8 * slot)))
			return 0;
		if (kind == MAPLE_LEAF)
			return node;
	}
	return 0;
}

static __always_inline void find_area(struct area *to, __u64 addr)
{
	struct vm_area_struct *from = (void *)walk_areas(addr);

	to->is_found = 0;
	if (!from)
		return;
	to->start = BPF_CORE_READ(from, vm_start);
	to->end = BPF_CORE_READ(from, vm_end);
	to->flags = BPF_CORE_READ(from, vm_flags);
	to->ops = (__u64)BPF_CORE_READ(from, vm_ops);
	to->addr = (__u64)from;
	to->is_found = to->start <= addr && addr < to->end;
}

/* While it is the same, areas are where they were. */
struct areas_key {
	__u64 mm, nexecs; /* the memory of one program may be where that of another was */
	__u32 seq;
};

static __always_inline int same_areas(const struct areas_key *a, const struct areas_key *b)
{
	return a->mm == b->mm && a->seq == b->seq && a->nexecs == b->nexecs;
}

/* False: this kernel has nothing to tell it by. */
static __always_inline int areas_key(struct areas_key *k)
{
	struct task_struct___area *t = (void *)bpf_get_current_task_btf();
	struct mm_struct___seqcount *counted = (void *)t->mm;
	struct mm_struct___seq *plain = (void *)t->mm;

	if (!counted)
		return 0;
	k->mm = (__u64)counted;
	k->nexecs = t->self_exec_id;
	if (bpf_core_field_exists(counted->mm_lock_seq.sequence))
		k->seq = counted->mm_lock_seq.sequence;
	else if (bpf_core_field_exists(plain->mm_lock_seq))
		k->seq = (__u32)plain->mm_lock_seq;
	else
		return 0;
	return 1;
}

#endif
