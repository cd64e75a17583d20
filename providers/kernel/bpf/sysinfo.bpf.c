/*
 * sysinfo.bpf.c: what the system as a whole does: switches, calls, bytes, interrupts, traps.
 */
#include "providers/kernel/bpf/numbers.h"

const volatile struct bpf_wants wants = {0};

static __always_inline void tell(void *ctx, unsigned int row, __u64 n)
{
	if (wants.rows & 1U << row && current_passes(&wants.filter))
		put_numbers(ctx, &wants, BPF_KIND_SYSINFO, row, n, 0, 0, 0, 0);
}

/* ---- CPUs ---- */

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, _Bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	tell(ctx, SYSINFO_PSWITCH, 1);
	if (prev->pid && (preempt || !prev_state))
		tell(ctx, SYSINFO_INV_SWTCH, 1);
	if (!next->pid)
		tell(ctx, SYSINFO_IDLETHREAD, 1);
	return 0;
}

SEC("tp_btf/sched_migrate_task")
int BPF_PROG(on_migrate, struct task_struct *t)
{
	tell(ctx, SYSINFO_CPUMIGRATE, 1);
	return 0;
}

/* ---- calls: of 64-bit programs, and of 32-bit ones ---- */

static __always_inline int is_read(long nr)
{
	return is_call(nr, 0, 3) || is_call(nr, 17, 180) || is_call(nr, 19, 145) ||
	       is_call(nr, 295, 333) || is_call(nr, 327, 378);
}

static __always_inline int is_write(long nr)
{
	return is_call(nr, 1, 4) || is_call(nr, 18, 181) || is_call(nr, 20, 146) ||
	       is_call(nr, 296, 334) || is_call(nr, 328, 379);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_call, struct pt_regs *regs, long nr)
{
	if (is_read(nr))
		tell(ctx, SYSINFO_SYSREAD, 1);
	else if (is_write(nr))
		tell(ctx, SYSINFO_SYSWRITE, 1);
	else if (is_call(nr, 59, 11) || is_call(nr, 322, 358))
		tell(ctx, SYSINFO_SYSEXEC, 1);
	return 0;
}

enum { NO_PROCESS = -11 }; /* EAGAIN */

SEC("tp_btf/sys_exit")
int BPF_PROG(on_return, struct pt_regs *regs, long ret)
{
	long nr = regs->orig_ax;

	if (ret > 0 && is_read(nr))
		tell(ctx, SYSINFO_READCH, ret);
	else if (ret > 0 && is_write(nr))
		tell(ctx, SYSINFO_WRITECH, ret);
	else if (ret == NO_PROCESS && (is_call(nr, 56, 120) || is_call(nr, 57, 2) ||
				       is_call(nr, 58, 190) || is_call(nr, 435, 435)))
		tell(ctx, SYSINFO_PROCOVF, 1);
	return 0;
}

enum { CLONE_VFORK = 0x4000, CLONE_THREAD = 0x10000 };

SEC("tp_btf/task_newtask")
int BPF_PROG(on_new, struct task_struct *t, unsigned long flags)
{
	if (flags & CLONE_THREAD)
		tell(ctx, SYSINFO_NTHREADS, 1);
	else
		tell(ctx, flags & CLONE_VFORK ? SYSINFO_SYSVFORK : SYSINFO_SYSFORK, 1);
	return 0;
}

/* ---- traps and interrupts ---- */

SEC("tp_btf/page_fault_user")
int BPF_PROG(on_user_fault)
{
	tell(ctx, SYSINFO_TRAP, 1);
	return 0;
}

SEC("tp_btf/page_fault_kernel")
int BPF_PROG(on_kernel_fault)
{
	tell(ctx, SYSINFO_TRAP, 1);
	return 0;
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(on_irq)
{
	tell(ctx, SYSINFO_INTR, 1);
	return 0;
}

#define VECTOR(name)                                                                               \
	SEC("tp_btf/" #name "_entry")                                                              \
	int BPF_PROG(on_##name)                                                                    \
	{                                                                                          \
		tell(ctx, SYSINFO_INTR, 1);                                                        \
		return 0;                                                                          \
	}

VECTOR(local_timer)
VECTOR(reschedule)
VECTOR(call_function)
VECTOR(call_function_single)
VECTOR(irq_work)

SEC("tp_btf/csd_queue_cpu")
int BPF_PROG(on_xcall)
{
	tell(ctx, SYSINFO_XCALLS, 1);
	return 0;
}

/* ---- locks that are taken ---- */

enum {
	LCB_SPIN = 1,
	LCB_READ = 2,
	LCB_WRITE = 4,
	LCB_MUTEX = 32
}; /* include/trace/events/lock.h */

SEC("tp_btf/contention_begin")
int BPF_PROG(on_contended, void *lock, unsigned int flags)
{
	/* who spins for a mutex first is told of again when it sleeps */
	if (flags & LCB_MUTEX && flags & LCB_SPIN)
		return 0;
	if (flags & LCB_MUTEX)
		tell(ctx, SYSINFO_MUTEX_ADENTERS, 1);
	else if (flags & LCB_READ)
		tell(ctx, SYSINFO_RW_RDFAILS, 1);
	else if (flags & LCB_WRITE)
		tell(ctx, SYSINFO_RW_WRFAILS, 1);
	return 0;
}

/* ---- disks ---- */

struct request {
	unsigned int cmd_flags;
} KERNEL;

SEC("tp_btf/block_rq_issue")
int BPF_PROG(on_issue, struct request *rq)
{
	__u32 op = BPF_CORE_READ(rq, cmd_flags) & 0xff;

	if (op <= 1)
		tell(ctx, op ? SYSINFO_BWRITE : SYSINFO_BREAD, 1);
	return 0;
}

SEC("tp_btf/module_load")
int BPF_PROG(on_module)
{
	tell(ctx, SYSINFO_MODLOAD, 1);
	return 0;
}

SEC("tp_btf/module_free")
int BPF_PROG(on_module_gone)
{
	tell(ctx, SYSINFO_MODUNLOAD, 1);
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
