/* syscall.bpf.c: system calls counted where they happen, by number. */
#include "kernel.h"

#define NR_MAX 1024

/* 0: of every process */
const volatile __u32 only_targets = 0;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2 * NR_MAX); /* entries, then returns */
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

/* The processes that are meant: those of -c and -p, and what they have forked. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, __u8);
} targets SEC(".maps");

static __always_inline int is_meant(void)
{
	__u32 pid = (__u32)(bpf_get_current_pid_tgid() >> 32);

	return !only_targets || bpf_map_lookup_elem(&targets, &pid);
}

static __always_inline void count(__u32 at)
{
	__u64 *n = bpf_map_lookup_elem(&counts, &at);

	if (n)
		++*n;
}

SEC("raw_tp/sys_enter")
int BPF_PROG(count_enter, struct pt_regs *regs, unsigned long nr)
{
	if (nr < NR_MAX && is_meant())
		count((__u32)nr);
	return 0;
}

SEC("raw_tp/sys_exit")
int BPF_PROG(count_exit, struct pt_regs *regs)
{
	unsigned long nr = BPF_CORE_READ(regs, orig_ax);

	if (nr < NR_MAX && is_meant())
		count(NR_MAX + (__u32)nr);
	return 0;
}

/* A child is known before it can make a call. */
SEC("raw_tp/sched_process_fork")
int BPF_PROG(follow, struct task_struct *parent, struct task_struct *child)
{
	__u32 pid = BPF_CORE_READ(child, tgid);
	__u8 one = 1;

	if (is_meant())
		bpf_map_update_elem(&targets, &pid, &one, BPF_ANY);
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
