/*
 * callnr.h: numbers of system calls, of 32-bit programs, too.
 */
#ifndef BPF_CALLNR_H
#define BPF_CALLNR_H

#include "providers/kernel/bpf/filter.h"

/* What 32-bit programs mean by their numbers. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, BPF_SYSCALL_MAX / 2);
	__type(key, __u32);
	__type(value, __u32);
} numbers32 SEC(".maps");

/* The call that is meant by the number; BPF_SYSCALL_MAX: none. */
static __always_inline __u32 call_of(__u32 nr)
{
	__u32 *n;

	if (!is_compat())
		return nr;
	n = bpf_map_lookup_elem(&numbers32, &nr);
	return n ? *n : BPF_SYSCALL_MAX;
}

#endif
