/*
 * dpc.bpf.c: work that the kernel puts off: softirqs, tasklets, timers, work queues.
 */
#include "providers/kernel/bpf/nesting.h"
#include "providers/kernel/bpf/numbers.h"

const volatile struct bpf_wants wants = {0};
const volatile __u64 actions[BPF_SOFTIRQS] = {0}; /* of the softirqs */

enum { SOFTIRQ_TIMER = 1, SOFTIRQ_TASKLET = 6, SOFTIRQ_HRTIMER = 8 };

CLAUSE_PROGRAM(softirq_clauses);
CLAUSE_PROGRAM(tasklet_clauses);
CLAUSE_PROGRAM(timer_clauses);
CLAUSE_PROGRAM(hrtimer_clauses);
CLAUSE_PROGRAM(work_clauses);

static __always_inline int put(void *ctx, unsigned int row, const struct begun *b, void *events)
{
	return wants.rows & 1U << row && current_passes(&wants.filter) &&
	       put_numbers(ctx, &wants, BPF_KIND_DPC, row, b->time_ns, b->function, b->more, 0,
			   events);
}

/* ---- softirqs ---- */

/* The thread that runs them where there are too many for the interrupt's end. */
static __always_inline int is_in_thread(void)
{
	struct task_struct___filter *t = (void *)bpf_get_current_task_btf();
	char comm[16] = {0};

	if (!(t->flags & FILTER_KTHREAD))
		return 0;
	bpf_probe_read_kernel_str(comm, sizeof(comm), t->comm);
	return *(__u64 *)comm == *(const __u64 *)"ksoftirq";
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(on_softirq_end, unsigned int vec)
{
	struct begun b;

	if (ends(vec + 1, &b) &&
	    put(ctx, is_in_thread() ? DPC_THREAD : DPC_DPC, &b, &softirq_clauses_event))
		RUN_CLAUSES(ctx, softirq_clauses);
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(on_softirq, unsigned int vec)
{
	begins(vec + 1, vec < BPF_SOFTIRQS ? actions[vec] : 0, vec);
	return 0;
}

SEC("tp_btf/tasklet_exit")
int BPF_PROG(on_tasklet_end, void *tasklet)
{
	struct begun b;

	if (ends((__u64)tasklet, &b) && put(ctx, DPC_DPC, &b, &tasklet_clauses_event))
		RUN_CLAUSES(ctx, tasklet_clauses);
	return 0;
}

SEC("tp_btf/tasklet_entry")
int BPF_PROG(on_tasklet, void *tasklet, void *function)
{
	begins((__u64)tasklet, (__u64)function, SOFTIRQ_TASKLET);
	return 0;
}

/* ---- timers: they may be gone when their function returns ---- */

struct timer_list {
	void *function;
} KERNEL;

struct hrtimer {
	void *function;
} KERNEL;

SEC("tp_btf/timer_expire_exit")
int BPF_PROG(on_timer_end, struct timer_list *timer)
{
	struct begun b;

	if (ends((__u64)timer, &b) && put(ctx, DPC_TIMER, &b, &timer_clauses_event))
		RUN_CLAUSES(ctx, timer_clauses);
	return 0;
}

SEC("tp_btf/timer_expire_entry")
int BPF_PROG(on_timer, struct timer_list *timer)
{
	begins((__u64)timer, (__u64)BPF_CORE_READ(timer, function), SOFTIRQ_TIMER);
	return 0;
}

SEC("tp_btf/hrtimer_expire_exit")
int BPF_PROG(on_hrtimer_end, struct hrtimer *timer)
{
	struct begun b;

	if (ends((__u64)timer, &b) && put(ctx, DPC_TIMER, &b, &hrtimer_clauses_event))
		RUN_CLAUSES(ctx, hrtimer_clauses);
	return 0;
}

SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(on_hrtimer, struct hrtimer *timer)
{
	begins((__u64)timer, (__u64)BPF_CORE_READ(timer, function), SOFTIRQ_HRTIMER);
	return 0;
}

/* ---- work queues: their threads sleep and change CPUs ---- */

struct work_struct {
	void *func;
} KERNEL;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, struct begun);
} works SEC(".maps");

SEC("tp_btf/workqueue_execute_end")
int BPF_PROG(on_work_end, struct work_struct *work)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct begun *b = bpf_map_lookup_elem(&works, &tid), copy;

	if (!b)
		return 0;
	copy = *b;
	bpf_map_delete_elem(&works, &tid);
	if (copy.key == (__u64)work && put(ctx, DPC_THREAD, &copy, &work_clauses_event))
		RUN_CLAUSES(ctx, work_clauses);
	return 0;
}

SEC("tp_btf/workqueue_execute_start")
int BPF_PROG(on_work, struct work_struct *work)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct begun b = {.key = (__u64)work,
			  .time_ns = bpf_ktime_get_ns(),
			  .function = (__u64)BPF_CORE_READ(work, func),
			  .more = -1};

	bpf_map_update_elem(&works, &tid, &b, BPF_ANY);
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
