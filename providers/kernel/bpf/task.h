/*
 * task.h: what is written of a thread and its process into a record (struct bpf_task). Offsets of
 * the kernel's structures are found by CO-RE.
 */
#ifndef BPF_TASK_H
#define BPF_TASK_H

#include "providers/kernel/bpf/filter.h"

typedef struct {
	int counter;
} atomic_t;

struct upid {
	int nr;
} KERNEL;

struct pid {
	struct upid numbers[1];
} KERNEL;

struct signal_struct___task {
	int nr_threads, group_exit_code;
	atomic_t live;
	struct pid *pids[4];
} KERNEL;

typedef struct {
	unsigned int val;
} kuid_t;

struct cred {
	kuid_t uid, gid, euid, egid;
} KERNEL;

struct dentry___name {
	struct {
		const unsigned char *name;
	} d_name;
} KERNEL;

struct file___exe {
	struct {
		struct dentry___name *dentry;
	} f_path;
} KERNEL;

struct mm_struct {
	unsigned long arg_start, arg_end;
	struct file___exe *exe_file;
} KERNEL;

struct cpumask {
	unsigned long bits[1];
} KERNEL;

struct io_context {
	unsigned short ioprio;
} KERNEL;

struct thread_info___task {
	unsigned long flags;
	unsigned int cpu;
} KERNEL;

struct task_struct___task {
	struct thread_info___task thread_info;
	unsigned int __state;
	unsigned int flags;
	int on_cpu, wake_cpu;
	int prio, static_prio;
	unsigned int policy;
	const struct cpumask *cpus_ptr;
	struct mm_struct *mm;
	int exit_state, exit_code;
	unsigned in_iowait : 1;
	int pid, tgid;
	struct task_struct___task *real_parent, *group_leader;
	unsigned long long start_boottime;
	const struct cred *cred;
	char comm[16];
	struct signal_struct___task *signal;
	struct io_context *io_context;
} KERNEL;

enum { PIDTYPE_PGID = 2, PIDTYPE_SID = 3 };
enum { TIF_ADDR32 = 29, PF_KTHREAD = 0x200000 };

/* When each thread left its CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, __u64);
} left SEC(".maps");

/* The arguments of processes that began, or executed a program, while we looked: only in its own
 * name can the memory of a process be read. */
struct arguments {
	char text[80]; /* with the NULs between them */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, struct arguments);
} arguments SEC(".maps");

static __always_inline void keep_arguments(__u32 pid)
{
	struct task_struct___task *t = (void *)bpf_get_current_task_btf();
	__u64 from = BPF_CORE_READ(t, mm, arg_start), n = BPF_CORE_READ(t, mm, arg_end) - from;
	struct arguments a = {0};

	if (!from)
		return;
	if (n > sizeof(a.text) - 1)
		n = sizeof(a.text) - 1;
	if (!bpf_probe_read_user(a.text, n, (void *)from))
		bpf_map_update_elem(&arguments, &pid, &a, BPF_ANY);
}

static __always_inline void fill_texts(struct bpf_task *to, struct task_struct___task *t)
{
	__u32 pid = to->pid; /* before 6.2 a key may not lie in a record */
	struct arguments *a = bpf_map_lookup_elem(&arguments, &pid);
	const unsigned char *name = BPF_CORE_READ(t, mm, exe_file, f_path.dentry, d_name.name);

	BPF_CORE_READ_STR_INTO(&to->comm, t, group_leader, comm);
	BPF_CORE_READ_STR_INTO(&to->tname, t, comm);
	to->fname[0] = to->psargs[0] = '\0';
	if (name)
		bpf_probe_read_kernel_str(to->fname, sizeof(to->fname), name);
	if (a)
		__builtin_memcpy(to->psargs, a->text, sizeof(to->psargs));
}

static __always_inline void fill_ids(struct bpf_task *to, const struct task_struct___task *t)
{
	to->pid = BPF_CORE_READ(t, tgid);
	to->tid = BPF_CORE_READ(t, pid);
	to->ppid = BPF_CORE_READ(t, real_parent, tgid);
	to->pgid = BPF_CORE_READ(t, signal, pids[PIDTYPE_PGID], numbers[0].nr);
	to->sid = BPF_CORE_READ(t, signal, pids[PIDTYPE_SID], numbers[0].nr);
	to->uid = BPF_CORE_READ(t, cred, uid.val);
	to->gid = BPF_CORE_READ(t, cred, gid.val);
	to->euid = BPF_CORE_READ(t, cred, euid.val);
	to->egid = BPF_CORE_READ(t, cred, egid.val);
	to->nlwp = BPF_CORE_READ(t, signal, nr_threads);
	to->start_ns = BPF_CORE_READ(t, group_leader, start_boottime);
	to->arg_bytes = BPF_CORE_READ(t, mm, arg_end) - BPF_CORE_READ(t, mm, arg_start);
	to->is_64 = !(BPF_CORE_READ(t, thread_info.flags) & 1UL << TIF_ADDR32);
}

static __always_inline void fill_scheduling(struct bpf_task *to, struct task_struct___task *t)
{
	to->prio = BPF_CORE_READ(t, prio);
	to->static_prio = BPF_CORE_READ(t, static_prio);
	to->policy = BPF_CORE_READ(t, policy);
	to->cpu = BPF_CORE_READ(t, thread_info.cpu);
	to->wake_cpu = BPF_CORE_READ(t, wake_cpu);
	to->affinity = BPF_CORE_READ(t, cpus_ptr, bits[0]);
	to->ioprio = BPF_CORE_READ(t, io_context, ioprio);
	to->state = BPF_CORE_READ(t, __state);
	to->exit_state = BPF_CORE_READ(t, exit_state);
	to->exit_code = BPF_CORE_READ(t, exit_code);
	to->flags = BPF_CORE_READ(t, flags);
	to->is_on_cpu = BPF_CORE_READ(t, on_cpu);
	to->is_in_iowait = BPF_CORE_READ_BITFIELD_PROBED(t, in_iowait);
	to->is_preempted = 0;
}

/* In a system call the saved registers hold its number; elsewhere -1, or a trap's error code. */
static __always_inline int syscall_of(struct task_struct *t, unsigned int flags)
{
	struct pt_regs *regs;
	long nr;

	if (flags & PF_KTHREAD)
		return -1;
	regs = (struct pt_regs *)bpf_task_pt_regs(t);
	nr = BPF_CORE_READ(regs, orig_ax);
	return nr >= 0 && nr < BPF_SYSCALL_MAX ? nr : -1;
}

/* t: as the kernel's own tracepoints give it (tp_btf). */
static __always_inline void fill_task(struct bpf_task *to, struct task_struct *task, __u64 now)
{
	struct task_struct___task *t = (void *)task;
	__u64 *since, pc = 0;
	__u32 tid;

	to->addr = (__u64)task;
	fill_ids(to, t);
	fill_scheduling(to, t);
	to->syscall = syscall_of(task, to->flags);
	fill_texts(to, t);
	tid = to->tid;
	since = bpf_map_lookup_elem(&left, &tid);
	to->off_ns = since ? now - *since : 0;
	to->wchan = 0;
	if (!to->is_on_cpu && bpf_get_task_stack(task, &pc, sizeof(pc), 0) > 0)
		to->wchan = pc;
}

#endif
