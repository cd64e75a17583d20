/*
 * nesting.h: what a CPU is in the midst of: handlers interrupt each other, and the last one that
 * began ends first. Programs are attached in the order of their source: one that ends stands before
 * the one that begins, else what begins meanwhile stays for ever, and an outer handler's end may
 * find it.
 */
#ifndef BPF_NESTING_H
#define BPF_NESTING_H

#include "providers/kernel/bpf/filter.h"

#define NESTING_DEPTH 16

struct begun {
	__u64 key; /* what began */
	__u64 time_ns, function, more;
};

struct nesting {
	__u32 depth;
	struct begun v[NESTING_DEPTH];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct nesting);
} nesting SEC(".maps");

static __always_inline struct nesting *own_nesting(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&nesting, &zero);
}

/* An interrupt between any two of these steps takes away what it has put. */
static __always_inline void begins(__u64 key, __u64 function, __u64 more)
{
	struct nesting *n = own_nesting();
	__u32 at;

	if (!n)
		return;
	at = *(volatile __u32 *)&n->depth;
	if (at >= NESTING_DEPTH)
		at = NESTING_DEPTH - 1;
	*(volatile __u32 *)&n->depth = at + 1;
	asm volatile("" ::: "memory");
	n->v[at].key = key;
	n->v[at].time_ns = bpf_ktime_get_ns();
	n->v[at].function = function;
	n->v[at].more = more;
}

/* False: it had begun before anybody looked. What began in it and has no end is forgotten. */
static __always_inline int ends(__u64 key, struct begun *out)
{
	struct nesting *n = own_nesting();
	__u32 at;

	if (!n)
		return 0;
	at = *(volatile __u32 *)&n->depth;
	for (int i = 0; i < NESTING_DEPTH; i++) {
		if (!at || at > NESTING_DEPTH)
			return 0;
		at--;
		if (n->v[at & (NESTING_DEPTH - 1)].key != key)
			continue;
		*out = n->v[at & (NESTING_DEPTH - 1)];
		asm volatile("" ::: "memory");
		*(volatile __u32 *)&n->depth = at;
		return 1;
	}
	return 0;
}

#endif
