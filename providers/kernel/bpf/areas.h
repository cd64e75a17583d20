/*
 * areas.h: what is mapped at an address of the current process.
 */
#ifndef BPF_AREAS_H
#define BPF_AREAS_H

#include "providers/kernel/bpf/filter.h"
#include "providers/kernel/bpf/typed.h"

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

/* include/linux/mm.h */
enum { AREA_ACCESS = 7, AREA_WRITE = 2, AREA_SHARED = 8, AREA_GROWS_DOWN = 0x100 };
enum { AREA_ASKS_USER = 0x200 }; /* VM_UFFD_MISSING: a program says what is in its pages */

struct area {
	__u64 start, end, flags, ops;
	__u64 addr; /* of its struct vm_area_struct */
	__u32 is_found;
};

/* A node of the tree (include/linux/maple_tree.h): its kind is in its address. */
#define MAPLE_PIVOTS	15
#define MAPLE_ARANGE	9 /* of those that keep gaps, too */
#define MAPLE_MAX_DEPTH 8
enum { MAPLE_IS_LEAF = 1, MAPLE_IS_RANGE, MAPLE_IS_ARANGE };

struct maple_range_64 {
	unsigned long pivot[MAPLE_PIVOTS];
	void *slot[MAPLE_PIVOTS + 1];
} KERNEL;

struct maple_arange_64 {
	unsigned long pivot[MAPLE_ARANGE];
	void *slot[MAPLE_ARANGE + 1];
} KERNEL;

/* What follows the last pivot that is used is 0. */
#define NEXT_NODE(n, npivots, addr)                                                                \
	do {                                                                                       \
		_Pragma("unroll") for (int i_ = 0; i_ < (npivots); i_++)                           \
		{                                                                                  \
			__u64 pivot_ = (n)->pivot[i_];                                             \
			if ((addr) <= pivot_ || (i_ && !pivot_))                                   \
				return (__u64)(n)->slot[i_];                                       \
		}                                                                                  \
		return (__u64)(n)->slot[npivots];                                                  \
	} while (0)

static __noinline __u64 next_by_range(__u64 node, __u64 addr)
{
	const struct maple_range_64 *n = TYPED(struct maple_range_64, node);

	NEXT_NODE(n, MAPLE_PIVOTS, addr);
}

static __noinline __u64 next_by_arange(__u64 node, __u64 addr)
{
	const struct maple_arange_64 *n = TYPED(struct maple_arange_64, node);

	NEXT_NODE(n, MAPLE_ARANGE, addr);
}

/* The same where the kernel lets nobody say what is at an address: before Linux 6.2. */
static __noinline __u64 next_copied(__u64 node, __u64 addr, __u32 npivots)
{
	__u64 pivots[MAPLE_PIVOTS],
		slots = npivots == MAPLE_PIVOTS
				? bpf_core_field_offset(struct maple_range_64, slot)
				: bpf_core_field_offset(struct maple_arange_64, slot);
	__u32 slot = 0;

	if (bpf_probe_read_kernel(pivots, sizeof(pivots), (void *)(node + 8)))
		return 0;
	for (; slot < MAPLE_PIVOTS; slot++)
		if (slot == npivots || addr <= pivots[slot] || (slot && !pivots[slot]))
			break;
	if (bpf_probe_read_kernel(&node, sizeof(node), (void *)(node + slots + 8 * slot)))
		return 0;
	return node;
}

/*
 * The kernel's own search, without its lock, which bpf_find_vma() is refused while somebody waits
 * for it, and gives back by an interrupt to itself where interrupts are off, which costs more than
 * the fault. A fault holds the area it is in.
 */
static __noinline __u64 walk_areas(__u64 addr, __u32 can_cast)
{
	struct task_struct___area *t = (void *)bpf_get_current_task_btf();
	struct mm_struct___area *mm = t->mm;
	__u64 at = mm ? (__u64)mm->mm_mt.ma_root : 0;

	for (int i = 0; i < MAPLE_MAX_DEPTH; i++) {
		__u64 kind = at >> 3 & 15, node = at & ~0xffULL;

		if (kind < MAPLE_IS_LEAF || kind > MAPLE_IS_ARANGE)
			return 0;
		if (!can_cast)
			at = next_copied(node, addr,
					 kind == MAPLE_IS_ARANGE ? MAPLE_ARANGE : MAPLE_PIVOTS);
		else if (kind == MAPLE_IS_ARANGE)
			at = next_by_arange(node, addr);
		else
			at = next_by_range(node, addr);
		if (kind == MAPLE_IS_LEAF)
			return at;
	}
	return 0;
}

#define FILL_AREA(to, READ)                                                                        \
	do {                                                                                       \
		(to)->start = READ(vm_start);                                                      \
		(to)->end = READ(vm_end);                                                          \
		(to)->flags = READ(vm_flags);                                                      \
		(to)->ops = (__u64)READ(vm_ops);                                                   \
	} while (0)
#define TYPED_MEMBER(name)  from->name
#define COPIED_MEMBER(name) BPF_CORE_READ(from, name)

static __always_inline void find_area(struct area *to, __u64 addr)
{
	__u64 at = walk_areas(addr, wants.can_cast);
	struct vm_area_struct *from;

	to->is_found = 0;
	if (!at)
		return;
	if (wants.can_cast) {
		from = TYPED(struct vm_area_struct, at);
		FILL_AREA(to, TYPED_MEMBER);
	} else {
		from = (void *)at;
		FILL_AREA(to, COPIED_MEMBER);
	}
	to->addr = at;
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
