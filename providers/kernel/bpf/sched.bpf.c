/*
 * sched.bpf.c: what becomes of threads: CPUs given and taken, wakeups, ticks, priorities.
 */
#include "providers/kernel/bpf/arguments.h"
#include "providers/kernel/bpf/count.h"

const volatile struct bpf_wants wants = {0};
const volatile __u64 tick_function = 0; /* the timer of the scheduler's tick */

enum { TASK_DEAD = 0x80 };
/* for is_call(): of 64-bit programs, and of 32-bit ones */
#define NR_SCHED_YIELD	      24, 158
#define NR_SETPRIORITY	      141, 97
#define NR_SCHED_SETPARAM     142, 154
#define NR_SCHED_SETSCHEDULER 144, 156
#define NR_SCHED_SETATTR      314, 351

static __always_inline void leaves_cpu(struct task_struct *t, __u64 now)
{
	__u32 tid = BPF_CORE_READ(t, pid);

	bpf_map_update_elem(&left, &tid, &now, BPF_ANY);
}

/* What a tracepoint hands over is read without a call of the kernel: four of them for each switch
 * would cost as much as the rest. */
static __always_inline void fill_switch(struct bpf_switch *sw, _Bool preempt,
					struct task_struct *prev, struct task_struct *next,
					unsigned int state)
{
	sw->head.pid = prev->tgid;
	sw->head.tid = prev->pid;
	sw->next_pid = next->tgid;
	sw->next_tid = next->pid;
	sw->is_runnable = state == 0 || preempt;
	sw->is_dead = (state & TASK_DEAD) != 0;
}

/* It sleeps still, as far as its stack is concerned. As put_stacks. */
static __always_inline __u64 put_next_stack(struct task_struct *next)
{
	struct bpf_stack *st;
	__u64 now;

	if (!(wants.stacks & BPF_WANT_NEXT_KSTACK))
		return 0;
	st = reserve(sizeof(*st), BPF_KIND_STACK);
	if (!st)
		return NO_ROOM;
	now = st->head.time_ns;
	st->nuser = 0;
	st->nkernel = frames_of(bpf_get_task_stack(next, st->kernel, sizeof(st->kernel), 0));
	st->head.pid = BPF_CORE_READ(next, tgid);
	st->head.tid = BPF_CORE_READ(next, pid);
	submit(st);
	return now;
}

static __always_inline int thread_cpu(struct task_struct *t)
{
	return ((struct task_struct___task *)t)->thread_info.cpu;
}

/* The rows that a switch is of: those of the thread that leaves, and on-cpu. */
static __always_inline __u32 rows_of_switch(const struct task_struct *prev, _Bool is_runnable,
					    _Bool is_dead)
{
	__u32 rows = 1U << SCHED_OFF_CPU | 1U << SCHED_ON_CPU;

	if (!is_dead)
		rows |= 1U << (is_runnable ? SCHED_PREEMPT : SCHED_SLEEP);
	if (prev->pid)
		rows |= 1U << (is_runnable ? SCHED_ENQUEUE : SCHED_DEQUEUE);
	return rows & wants.rows;
}

static __always_inline __u32 count_switch(__u32 rows, struct task_struct *prev,
					  struct task_struct *next)
{
	const struct count_words words = {.v = {thread_cpu(prev)}};
	__u32 counted = 0;

	for (__u32 row = SCHED_OFF_CPU; row <= SCHED_DEQUEUE; row++)
		if (rows & 1U << row &&
		    count_row(&wants, row, row == SCHED_ON_CPU ? next : prev, &words))
			counted |= 1U << row;
	return counted;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, _Bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	_Bool is_runnable = prev_state == 0 || preempt;
	__u32 rows = rows_of_switch(prev, is_runnable, (prev_state & TASK_DEAD) != 0);
	__u32 counted;
	struct bpf_switch *sw;
	__u64 time_ns;

	if (wants.filter.root != BPF_FILTER_PASS && !filter_passes(&wants.filter, prev, 0, 0) &&
	    !filter_passes(&wants.filter, next, 0, 0)) {
		if (wants.details)
			leaves_cpu(prev, bpf_ktime_get_ns());
		return 0;
	}
	counted = count_switch(rows, prev, next);
	if (!(rows & ~counted)) {
		if (wants.details)
			leaves_cpu(prev, bpf_ktime_get_ns());
		return 0;
	}
	time_ns = put_next_stack(next);
	if (rows & 1U << SCHED_ON_CPU && time_ns != NO_ROOM)
		time_ns = put_pieces(next, wants.stacks, time_ns);
	time_ns = put_own_stacks(ctx, wants.stacks, time_ns);
	if (time_ns == NO_ROOM)
		return 0;
	if (wants.details)
		sw = reserve_at(sizeof(*sw), BPF_KIND_SWITCH, time_ns);
	else
		sw = reserve_at(BPF_SWITCH_SHORT, BPF_KIND_SWITCH, time_ns);
	if (!sw)
		return 0;
	fill_switch(sw, preempt, prev, next, prev_state);
	sw->head.counted = counted;
	if (wants.details) {
		fill_task(&sw->prev, prev, sw->head.time_ns);
		fill_task(&sw->next, next, sw->head.time_ns);
		sw->prev.is_preempted = sw->is_runnable;
		leaves_cpu(prev, sw->head.time_ns);
	}
	submit(sw);
	return 0;
}

static __always_inline void thread_event(void *ctx, struct task_struct *t, unsigned int row)
{
	struct task_struct *current = bpf_get_current_task_btf();
	/* a wakeup puts it on a queue, too */
	__u32 rows = wants.rows & (1U << row | (row == SCHED_WAKEUP ? 1U << SCHED_ENQUEUE : 0));
	const struct count_words words = {.v = {row == SCHED_CHANGE_PRI
							? ((struct task_struct___task *)t)->prio
							: thread_cpu(t)}};
	struct bpf_thread *th;
	__u32 counted = 0;
	__u64 time_ns;

	if (!rows || !current_passes(&wants.filter))
		return;
	if (rows & 1U << row && count_row(&wants, row, current, &words))
		counted |= 1U << row;
	if (row == SCHED_WAKEUP && rows & 1U << SCHED_ENQUEUE &&
	    count_row(&wants, SCHED_ENQUEUE, current, &words))
		counted |= 1U << SCHED_ENQUEUE;
	if (!(rows & ~counted))
		return;
	time_ns = put_own_stacks(ctx, wants.stacks, 0);
	if (time_ns == NO_ROOM)
		return;
	if (wants.details)
		th = reserve_at(sizeof(*th), BPF_KIND_THREAD, time_ns);
	else
		th = reserve_at(BPF_THREAD_SHORT, BPF_KIND_THREAD, time_ns);
	if (!th)
		return;
	if (wants.details)
		fill_task(&th->task, t, th->head.time_ns);
	th->row = row;
	th->cpu = thread_cpu(t);
	th->head.counted = counted;
	th->pid = t->tgid;
	th->tid = t->pid;
	submit(th);
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *t)
{
	thread_event(ctx, t, SCHED_WAKEUP);
	return 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_wakeup_new, struct task_struct *t)
{
	thread_event(ctx, t, SCHED_WAKEUP);
	return 0;
}

SEC("tp_btf/sched_migrate_task")
int BPF_PROG(on_migrate, struct task_struct *t, int to)
{
	thread_event(ctx, t, SCHED_DEQUEUE);
	return 0;
}

SEC("tp_btf/sched_pi_setprio")
int BPF_PROG(on_pi, struct task_struct *t)
{
	thread_event(ctx, t, SCHED_CHANGE_PRI);
	return 0;
}

struct hrtimer {
	void *function;
} KERNEL;

SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(on_timer, struct hrtimer *timer)
{
	if ((__u64)BPF_CORE_READ(timer, function) == tick_function)
		thread_event(ctx, bpf_get_current_task_btf(), SCHED_TICK);
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_yield, struct pt_regs *regs, long id)
{
	if (is_call(id, NR_SCHED_YIELD))
		thread_event(ctx, bpf_get_current_task_btf(), SCHED_SURRENDER);
	return 0;
}

/* The thread, if the current one or a parent of it was made by it: renice of a shell's own. */
static __always_inline struct task_struct___task *find_ancestor(__u32 tid)
{
	struct task_struct___task *t = (void *)bpf_get_current_task_btf();

	for (int i = 0; i < 8 && t; i++) {
		t = BPF_CORE_READ(t, real_parent);
		if (BPF_CORE_READ(t, pid) == tid)
			return t;
	}
	return 0;
}

/* Of another thread only the number is known; which: BPF_THREAD_ ..., or 0. prio: if it ends before
 * the engine can look. */
static __always_inline void other_thread(void *ctx, __u32 tid, int which, int prio)
{
	struct task_struct___task *t;
	struct bpf_thread *th;
	__u64 time_ns;

	if (!current_passes(&wants.filter))
		return;
	time_ns = put_own_stacks(ctx, wants.stacks, 0);
	if (time_ns == NO_ROOM)
		return;
	th = reserve_at(sizeof(*th), BPF_KIND_THREAD, time_ns);
	if (!th)
		return;
	__builtin_memset(&th->task, 0, sizeof(th->task));
	th->row = SCHED_CHANGE_PRI;
	th->cpu = th->head.cpu;
	th->pid = which;
	th->tid = tid;
	th->task.prio = prio;
	t = which ? 0 : find_ancestor(tid);
	if (t) {
		th->pid = BPF_CORE_READ(t, tgid);
		th->task.syscall = -1;
		fill_ids(&th->task, t);
		fill_scheduling(&th->task, t);
		fill_texts(&th->task, t);
	}
	submit(th);
}

enum { PRIO_PROCESS, PRIO_PGRP, PRIO_USER };

/* setpriority() with 0 means its own; of a group or a user the engine finds the threads. */
static __always_inline void many_threads(void *ctx, long which, long who)
{
	struct task_struct___task *t = (void *)bpf_get_current_task_btf();

	if (!who && which == PRIO_PGRP)
		who = BPF_CORE_READ(t, signal, pids[PIDTYPE_PGID], numbers[0].nr);
	else if (!who)
		who = BPF_CORE_READ(t, cred, uid.val);
	other_thread(ctx, (__u32)who, which == PRIO_PGRP ? BPF_THREAD_GROUP : BPF_THREAD_USER, 0);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_priority, struct pt_regs *regs, long ret)
{
	long nr = BPF_CORE_READ(regs, orig_ax), who = (int)call_arg(regs, 0);
	int prio = 0;

	if (ret < 0 || (!is_call(nr, NR_SETPRIORITY) && !is_call(nr, NR_SCHED_SETPARAM) &&
			!is_call(nr, NR_SCHED_SETSCHEDULER) && !is_call(nr, NR_SCHED_SETATTR)))
		return 0;
	if (is_call(nr, NR_SETPRIORITY)) {
		long which = who;

		who = (int)call_arg(regs, 1);
		prio = 120 + (int)call_arg(regs, 2);
		if (which != PRIO_PROCESS) {
			many_threads(ctx, which, who);
			return 0;
		}
	}
	if (who == 0 || (__u32)who == (__u32)bpf_get_current_pid_tgid())
		thread_event(ctx, bpf_get_current_task_btf(), SCHED_CHANGE_PRI);
	else
		other_thread(ctx, who, 0, prio);
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
