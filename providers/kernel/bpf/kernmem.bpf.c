/*
 * kernmem.bpf.c: reads the kernel's memory for the engine, and finds its threads by their numbers.
 * Nobody holds still: after each read it is asked whether the threads it depends on are still who
 * they were. A thread that is gone never comes back, so what was read before belonged to it.
 */
#include "providers/kernel/bpf/kernel.h"

enum { EFAULT = 14, ESRCH = 3, EXITS = 4 /* PF_EXITING */ };
enum { XA_NODE = 2, XA_FIRST_NODE = 4096, XA_LEVELS = 12 }; /* linux/xarray.h */

struct hlist_node {
	struct hlist_node *next;
} KERNEL;

struct hlist_head {
	struct hlist_node *first;
} KERNEL;

struct xa_node {
	unsigned char shift;
	void *slots[64];
} KERNEL;

struct xarray {
	void *xa_head;
} KERNEL;

struct idr {
	struct xarray idr_rt;
} KERNEL;

struct pid_namespace {
	struct idr idr;
} KERNEL;

struct upid {
	int nr;
	struct pid_namespace *ns;
} KERNEL;

struct pid {
	struct hlist_head tasks[4];
	struct upid numbers[1];
} KERNEL;

struct task_struct___mem {
	unsigned int flags;
	int pid;
	unsigned long long start_time;
	void *mm;
	struct pid *thread_pid;
	struct hlist_node pid_links[4];
} KERNEL;

struct rq {
	struct task_struct___mem *idle;
} KERNEL;

struct cfs_rq {
	struct rq *rq;
} KERNEL;

struct sched_entity {
	struct cfs_rq *cfs_rq;
} KERNEL;

struct task_struct___runs {
	struct sched_entity se;
} KERNEL;

struct bpf_kernmem_found found;

/* ---- who is who ---- */

static __always_inline void describe(struct bpf_kernthread *t, struct task_struct___mem *task)
{
	struct pid *number = BPF_CORE_READ(task, thread_pid);

	t->addr = (__u64)task;
	t->tid = BPF_CORE_READ(task, pid);
	t->start_ns = BPF_CORE_READ(task, start_time);
	t->mm = (__u64)BPF_CORE_READ(task, mm);
	t->state = !number				? BPF_KERNTHREAD_GONE
		   : BPF_CORE_READ(task, flags) & EXITS ? BPF_KERNTHREAD_EXITS
							: BPF_KERNTHREAD_LIVES;
}

static __always_inline int is_same(const struct bpf_kernthread *t)
{
	struct bpf_kernthread now;

	describe(&now, (void *)t->addr);
	if (now.state == BPF_KERNTHREAD_GONE || now.tid != t->tid || now.start_ns != t->start_ns)
		return 0;
	return !t->is_strict || (now.mm == t->mm && now.state == t->state);
}

/* ---- by number ---- */

/* The tree by which the kernel finds numbers; nodes may go while it is walked. */
static __always_inline struct pid *find_number(__u64 entry, __u32 nr)
{
	const __u64 nslots = bpf_core_field_size(((struct xa_node *)0)->slots) / 8;

	for (int level = 0; level < XA_LEVELS; level++) {
		struct xa_node *node = (void *)(entry - XA_NODE);
		__u64 at;
		__u8 shift = 0;

		if ((entry & 3) != XA_NODE || entry <= XA_FIRST_NODE)
			return 0;
		if (bpf_core_read(&shift, 1, &node->shift))
			return 0;
		at = (__u64)nr >> (shift & 63);
		if (level == 0 && at >= nslots)
			return 0;
		at = (__u64)&node->slots + (at & (nslots - 1)) * 8;
		if (bpf_probe_read_kernel(&entry, 8, (void *)at))
			return 0;
		if (!shift)
			return entry & 3 ? 0 : (void *)entry;
	}
	return 0;
}

static __always_inline struct task_struct___mem *find_task(__u32 tid)
{
	struct task_struct___mem *self = (void *)bpf_get_current_task();
	struct pid_namespace *ns = BPF_CORE_READ(self, thread_pid, numbers[0].ns);
	struct pid *number = find_number((__u64)BPF_CORE_READ(ns, idr.idr_rt.xa_head), tid);
	struct hlist_node *first = number ? BPF_CORE_READ(number, tasks[0].first) : 0;

	if (!first)
		return 0;
	return (void *)((__u64)first -
			bpf_core_field_offset(((struct task_struct___mem *)0)->pid_links));
}

/* ---- what the engine runs ---- */

static __always_inline void answer(struct bpf_kernmem *ask, struct task_struct___mem *task)
{
	struct bpf_kernthread found;

	ask->result = -ESRCH;
	if (!task)
		return;
	describe(&found, task);
	if (found.state == BPF_KERNTHREAD_GONE || found.tid != ask->threads[0].tid)
		return;
	ask->threads[0].addr = found.addr;
	ask->threads[0].start_ns = found.start_ns;
	ask->threads[0].mm = found.mm;
	ask->threads[0].state = found.state;
	ask->result = 0;
}

/* addr: of a thread that is known; 0: the one whose number is in threads[0].tid. */
SEC("syscall")
int find_thread(struct bpf_kernmem *ask)
{
	struct task_struct___mem *task = (void *)ask->addr;

	answer(ask, task ? task : find_task(ask->threads[0].tid));
	return 0;
}

/* The one without a number that this CPU runs when it has nothing to do: whoever runs here now is
 * in a queue of this CPU. */
SEC("raw_tp")
int find_idle(void *ctx)
{
	struct task_struct___runs *here = (void *)bpf_get_current_task();

	found.idle.threads[0].tid = 0;
	answer(&found.idle, BPF_CORE_READ(here, se.cfs_rq, rq, idle));
	return 0;
}

SEC("syscall")
int read_memory(struct bpf_kernmem *ask)
{
	__u32 len = ask->len;

	ask->result = -EFAULT;
	if (len > sizeof(found.bytes))
		return 0;
	ask->result = bpf_probe_read_kernel(found.bytes, len, (void *)ask->addr);
	for (int i = 0; i < BPF_KERNMEM_THREADS; i++) {
		struct bpf_kernthread t = ask->threads[i];

		if (t.addr && !is_same(&t))
			ask->result = -ESRCH;
	}
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
