/*
 * names.h: what processes are called, by their numbers: for events that come in the name of whom
 * they have interrupted. One that is not known here is zeros: the engine looks its number up.
 */
#ifndef BPF_NAMES_H
#define BPF_NAMES_H

#include "providers/kernel/bpf/count.h"

struct process_name {
	__u64 v[2];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH); /* what it forgets is looked up later, as above */
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, struct process_name);
} process_names SEC(".maps");

static __always_inline void find_name(__u64 *name, __u32 pid)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct process_name *known;

	if (pid == (__u32)task->tgid) {
		get_name(name, task);
		return;
	}
	known = bpf_map_lookup_elem(&process_names, &pid);
	name[0] = known ? known->v[0] : 0;
	name[1] = known ? known->v[1] : 0;
}

/* Those that are there when tracing begins. */
static __always_inline void learn_name(struct task_struct *task)
{
	struct process_name name;
	__u32 pid = task->tgid;

	get_name(name.v, task);
	if (name.v[0])
		bpf_map_update_elem(&process_names, &pid, &name, BPF_ANY);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_named_first, struct task_struct *parent, struct task_struct *child)
{
	if (child->pid == child->tgid)
		learn_name(child);
	return 0;
}

/* As it executes a program, or asks for another name. */
SEC("tp_btf/task_rename")
int BPF_PROG(on_named, struct task_struct *task, const char *comm)
{
	struct process_name name = {0};
	__u32 pid = task->tgid;

	if (task->pid != task->tgid)
		return 0;
	bpf_probe_read_kernel_str(name.v, sizeof(name.v), comm);
	bpf_map_update_elem(&process_names, &pid, &name, BPF_ANY);
	return 0;
}

#endif
