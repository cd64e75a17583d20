/*
 * fslast.h: whether a descriptor is the last one of its file. Each descriptor holds the file; so
 * does each mapping, which is no descriptor.
 */
#ifndef BPF_FSLAST_H
#define BPF_FSLAST_H

#include "providers/kernel/bpf/fs/fs.h"

struct vm_area_struct {
	struct file___fs *vm_file;
} KERNEL;

struct bpf_iter_task_vma {
	__u64 words[1];
} __attribute__((aligned(8)));

extern int bpf_iter_task_vma_new(struct bpf_iter_task_vma *, struct task_struct *,
				 __u64 addr) __ksym __weak;
extern struct vm_area_struct *bpf_iter_task_vma_next(struct bpf_iter_task_vma *) __ksym __weak;
extern void bpf_iter_task_vma_destroy(struct bpf_iter_task_vma *) __ksym __weak;

static __always_inline long references(struct file___fs *f)
{
	if (bpf_core_field_exists(f->f_ref))
		return BPF_CORE_READ(f, f_ref.refcnt.counter) + 1;
	return BPF_CORE_READ((struct file___old *)f, f_count.counter);
}

/* Before Linux 6.7: how often a file has been mapped. Its address may be another file's by now. */
struct mappings {
	__u64 of, times;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, struct mappings);
} mapped SEC(".maps");

static __always_inline __u64 identity_of(struct file___fs *f)
{
	struct inode___fs *inode = BPF_CORE_READ(f, f_inode);

	return (__u64)inode ^ (__u64)BPF_CORE_READ(inode, i_ino) << 24 ^
	       (__u64)BPF_CORE_READ(inode, i_generation) << 32;
}

/* Those of the current process, into s->nmapped: the verifier does not follow what is in memory.
 * (Verified once, not where it is called: it is not static.) */
__noinline int fs_count_mappings(struct fs_scratch *s, __u64 file)
{
	struct bpf_iter_task_vma each;
	struct vm_area_struct *area;

	if (!s || !wants.can_iterate)
		return 0;
	s->nmapped = 0;
	bpf_iter_task_vma_new(&each, bpf_get_current_task_btf(), 0);
	while ((area = bpf_iter_task_vma_next(&each)))
		s->nmapped += (__u64)area->vm_file == file;
	bpf_iter_task_vma_destroy(&each);
	return 0;
}

enum { IS_HELD, IS_LAST, IS_LAST_AND_MAPPED };

static __always_inline int last_descriptor(struct file___fs *f)
{
	__u64 key = (__u64)f;
	long n = references(f);
	struct fs_scratch *s;
	struct mappings *m;
	__u32 zero = 0;

	if (n <= 1)
		return IS_LAST;
	if (wants.can_iterate) {
		if (!BPF_CORE_READ(f, f_mapping, i_mmap.rb_root.rb_node))
			return IS_HELD;
		s = bpf_map_lookup_elem(&scratch, &zero);
		if (!s)
			return IS_HELD;
		fs_count_mappings(s, key);
		return n - 1 <= (long)s->nmapped ? IS_LAST_AND_MAPPED : IS_HELD;
	}
	m = bpf_map_lookup_elem(&mapped, &key);
	return m && n - 1 <= (long)m->times && m->of == identity_of(f) ? IS_LAST_AND_MAPPED
								       : IS_HELD;
}

#endif
