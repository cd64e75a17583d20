/*
 * typed.h: the kernel's memory at an address, read as a structure of the kernel is: by plain loads,
 * which give 0 where nothing is, for a tenth of what a helper's copy costs. Only where
 * wants.can_cast: since Linux 6.2.
 */
#ifndef BPF_TYPED_H
#define BPF_TYPED_H

#include "providers/kernel/bpf/kernel.h"

extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym __weak;

#define TYPED(type, addr)                                                                          \
	((type *)bpf_rdonly_cast((const void *)(addr), (__u32)bpf_core_type_id_kernel(type)))

struct timespec64 { /* any that begins with a number */
	long long tv_sec;
} KERNEL;

static __always_inline __u64 typed_word(__u64 addr)
{
	return (__u64)TYPED(struct timespec64, addr)->tv_sec;
}

/*
 * A structure at an address and a member of it, by either way: for programs whose constants have
 * `wants`. `p` is AT(type, address).
 */
#define AT(type, addr) (wants.can_cast ? TYPED(type, addr) : (type *)(addr))
#define GET(p, member)                                                                             \
	({                                                                                         \
		typeof(p) from_ = (p);                                                             \
		wants.can_cast ? from_->member : BPF_CORE_READ(from_, member);                     \
	})

#endif
