/*
 * arguments.h: the programs that keep what task.h says of arguments; loaded where details are
 * wanted.
 */
#ifndef BPF_ARGUMENTS_H
#define BPF_ARGUMENTS_H

#include "providers/kernel/bpf/task.h"

SEC("tp_btf/sched_process_exec")
int BPF_PROG(keep_exec, struct task_struct *t)
{
	keep_arguments(BPF_CORE_READ(t, tgid));
	return 0;
}

/* In the parent, whose memory the child has a copy of. */
SEC("tp_btf/task_newtask")
int BPF_PROG(keep_new, struct task_struct *child)
{
	__u32 pid = BPF_CORE_READ(child, tgid);

	if (pid != (__u32)(bpf_get_current_pid_tgid() >> 32))
		keep_arguments(pid);
	return 0;
}

#endif
