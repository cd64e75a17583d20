/*
 * whose.h: which processes are meant: those of -c and -p and what they fork, known before they
 * can do anything; without any, all but tracing's own. The program that includes it has `who`
 * before, with first_target and own; the engine loads the programs below if there are targets.
 */
#ifndef BPF_WHOSE_H
#define BPF_WHOSE_H

struct signal_struct___targets {
	struct {
		int counter;
	} live;
} KERNEL;

struct task_struct___targets {
	struct signal_struct___targets *signal;
	int tgid;
} KERNEL;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, __u8);
} targets SEC(".maps");

static __always_inline int is_meant(void)
{
	__u32 pid = (__u32)(bpf_get_current_pid_tgid() >> 32);

	if (!who.first_target)
		return pid != who.own[0] && pid != who.own[1];
	return pid == who.first_target || bpf_map_lookup_elem(&targets, &pid);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	__u32 pid = child->tgid;
	__u8 one = 1;

	if (is_meant())
		bpf_map_update_elem(&targets, &pid, &one, BPF_ANY);
	return 0;
}

/* The last thread of a process: its number may be another's soon. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_gone, struct task_struct___targets *task)
{
	__u32 pid = task->tgid;

	if (task->signal->live.counter <= 0)
		bpf_map_delete_elem(&targets, &pid);
	return 0;
}

#endif
