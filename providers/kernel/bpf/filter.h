/*
 * filter.h: which events anybody asks for (struct bpf_filter), before there is a record.
 */
#ifndef BPF_ASKED_H
#define BPF_ASKED_H

#include "providers/kernel/bpf/kernel.h"

struct thread_info___filter {
	unsigned int status;
} KERNEL;

struct task_struct___filter {
	struct thread_info___filter thread_info;
	unsigned int flags;
	int pid, tgid;
	struct task_struct___filter *group_leader;
	char comm[16];
} KERNEL;

enum { FILTER_KTHREAD = 0x200000 };

static __always_inline int filter_compares(unsigned int op, __u64 a, __u64 b)
{
	switch (op) {
	case BPF_FILTER_EQ:
		return a == b;
	case BPF_FILTER_LT:
		return (__s64)a < (__s64)b;
	case BPF_FILTER_LE:
		return (__s64)a <= (__s64)b;
	case BPF_FILTER_LTU:
		return a < b;
	case BPF_FILTER_LEU:
		return a <= b;
	default:
		return (a & b) != 0;
	}
}

enum { NAME_DIFFERS, NAME_IS_SAME, NAME_MAY_BE_SAME };

/* How D calls a process. Of a thread of the kernel that is what /proc says: its name here, and what
 * it works at behind that. */
static __always_inline int compare_name(const struct task_struct___filter *t,
					const volatile struct bpf_filter_node *n)
{
	__u64 words[2] = {0, 0}, mask = 0xff;
	const __u64 *comm; /* by plain loads: a helper's copy costs more than all the rest */

	if (t->tgid) {
		comm = (const void *)t->group_leader +
		       bpf_core_field_offset(struct task_struct___filter, comm);
		words[0] = comm[0];
		words[1] = comm[1];
	} else {
		__builtin_memcpy(words, "swapper", sizeof("swapper"));
	}
	if (words[0] == n->text[0] && words[1] == n->text[1])
		return NAME_IS_SAME;
	if (!(t->flags & FILTER_KTHREAD) || !t->tgid)
		return NAME_DIFFERS;
	for (int i = 0; i < 15; i++) {
		__u64 here = i < 8 ? words[0] >> 8 * i : words[1] >> 8 * (i - 8);
		__u64 there = i < 8 ? n->text[0] >> 8 * i : n->text[1] >> 8 * (i - 8);

		if (!(here & mask))
			return NAME_MAY_BE_SAME;
		if ((here ^ there) & mask)
			return NAME_DIFFERS;
	}
	return NAME_MAY_BE_SAME;
}

/* Not the kernel's word to itself that a call is to be made again (ERESTARTSYS ...). */
static __always_inline int is_errno(__s64 ret)
{
	return ret < 0 && ret >= -4095 && (ret > -512 || ret < -516);
}

/* A 32-bit call, with numbers and registers of its own (arch/x86/include/asm/thread_info.h). */
enum { TS_COMPAT = 2 };

static __always_inline int is_compat(void)
{
	struct task_struct___filter *t = (void *)bpf_get_current_task_btf();

	return t->thread_info.status & TS_COMPAT;
}

/* One call has two numbers. */
static __always_inline int is_call(long nr, long of_64, long of_32)
{
	return nr == (is_compat() ? of_32 : of_64);
}

/* Of the call that the current thread makes. */
static __always_inline __u64 call_arg(struct pt_regs *regs, unsigned int n)
{
	if (is_compat())
		return (__u32)(n == 0	? regs->bx
			       : n == 1 ? regs->cx
			       : n == 2 ? regs->dx
			       : n == 3 ? regs->si
			       : n == 4 ? regs->di
					: regs->bp);
	return n == 0	? regs->di
	       : n == 1 ? regs->si
	       : n == 2 ? regs->dx
	       : n == 3 ? regs->r10
	       : n == 4 ? regs->r8
			: regs->r9;
}

enum { NODE_FAILS, NODE_HOLDS, NODE_IS_OPEN };

/* Open: that the thread and its call do not tell. */
static __always_inline int node_holds(const volatile struct bpf_filter_node *n,
				      const struct task_struct___filter *t, struct pt_regs *regs,
				      __s64 ret)
{
	__u64 v = 0;

	switch (n->what) {
	case BPF_FILTER_PID:
		v = t->tgid;
		break;
	case BPF_FILTER_TID:
		v = t->pid;
		break;
	case BPF_FILTER_UID:
		v = (__u32)bpf_get_current_uid_gid();
		break;
	case BPF_FILTER_NAME:
		v = compare_name(t, n);
		return v == NAME_MAY_BE_SAME ? NODE_IS_OPEN : v == NAME_IS_SAME;
	case BPF_FILTER_RESULT:
		v = ret;
		break;
	case BPF_FILTER_ERRNO:
		v = is_errno(ret) ? -ret : 0;
		break;
	default:
		if (n->what >= BPF_FILTER_WORD)
			return NODE_IS_OPEN;
		v = regs ? call_arg(regs, n->what - BPF_FILTER_ARG0) : 0;
	}
	return filter_compares(n->op, v, n->value);
}

/* A thread as it is now. regs, ret: of its system call; 0: of none. */
static __always_inline int filter_passes(const volatile struct bpf_filter *s,
					 struct task_struct *task, struct pt_regs *regs, __s64 ret)
{
	__u64 at = s->root;

	for (int i = 0; i < BPF_FILTER_NODES && at < BPF_FILTER_NODES; i++) {
		const volatile struct bpf_filter_node *n = &s->nodes[at];
		int holds = node_holds(n, (void *)task, regs, ret);

		if (holds == NODE_IS_OPEN)
			return 1;
		at = holds ? n->yes : n->no;
	}
	return at != BPF_FILTER_STOP;
}

static __always_inline int current_passes(const volatile struct bpf_filter *s)
{
	return s->root == BPF_FILTER_PASS || filter_passes(s, bpf_get_current_task_btf(), 0, 0);
}

/* One whose name may have changed since is judged by its numbers alone. */
static __always_inline int ids_pass(const volatile struct bpf_filter *s, __u32 pid, __u32 tid)
{
	__u64 at = s->root;

	for (int i = 0; i < BPF_FILTER_NODES && at < BPF_FILTER_NODES; i++) {
		const volatile struct bpf_filter_node *n = &s->nodes[at];

		if (n->what > BPF_FILTER_TID)
			return 1;
		at = filter_compares(n->op, n->what == BPF_FILTER_PID ? pid : tid, n->value)
			     ? n->yes
			     : n->no;
	}
	return at != BPF_FILTER_STOP;
}

#endif
