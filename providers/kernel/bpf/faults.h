/*
 * faults.h: page faults, from the moment in which the processor complains to the end of what the
 * kernel does about it: only then is known of which kind one was. The file that includes this one
 * has a function fault_is(), and says in `wants_...` what it asks for.
 */
#ifndef BPF_FAULTS_H
#define BPF_FAULTS_H

#include "providers/kernel/bpf/areas.h"

enum { BPF_MAP_TYPE_TASK_STORAGE = 29, BPF_F_NO_PREALLOC = 1, BPF_LOCAL_STORAGE_GET_F_CREATE = 1 };

enum fault_class {
	FAULT_HARD,	  /* there was something to read */
	FAULT_TRANSITION, /* it was in memory */
	FAULT_ZERO,
	FAULT_COPY,
	FAULT_GUARD, /* a stack has grown */
	FAULT_OTHER, /* of shared memory that is written to first ... */
	FAULT_NO_ACCESS,
};

/* Bits of the error code (arch/x86/include/asm/trap_pf.h). */
enum { FAULT_PRESENT = 1, FAULT_WRITE = 2 };

/* What a thread is about. */
struct fault {
	__u64 addr; /* 0: nothing */
	__u64 pc, start_ns, stack_pages;
	__u32 code, is_kernel;
	__u32 is_forbidden; /* there is something, but not for this */
	/* of a system call that maps memory */
	__u64 brk;
	__u32 prot;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct fault);
} faults SEC(".maps");

static __always_inline struct fault *own_fault(__u64 flags)
{
	return bpf_task_storage_get(&faults, (void *)bpf_get_current_task_btf(), 0, flags);
}

static __always_inline void fault_is(void *ctx, enum fault_class, struct fault *, struct area *);

static __always_inline __u64 stack_pages(void)
{
	struct task_struct___area *t = (void *)bpf_get_current_task_btf();
	struct mm_struct___area *mm = t->mm;

	return mm ? mm->stack_vm : 0;
}

static __always_inline void fault_begins(__u64 addr, struct pt_regs *regs, __u64 code,
					 __u32 is_kernel, int is_timed)
{
	struct fault *f = own_fault(BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!f)
		return;
	f->addr = addr;
	f->pc = regs->ip;
	f->start_ns = is_timed ? bpf_ktime_get_ns() : 0;
	f->stack_pages = stack_pages();
	f->code = (__u32)code;
	f->is_kernel = is_kernel;
}

static __always_inline enum fault_class classify(const struct fault *f, struct area *a)
{
	find_area(a, f->addr);
	if (!a->is_found)
		return FAULT_OTHER;
	if (f->code & FAULT_PRESENT)
		return f->code & FAULT_WRITE && a->flags & AREA_WRITE && !(a->flags & AREA_SHARED)
			       ? FAULT_COPY
			       : FAULT_OTHER;
	if (a->flags & AREA_GROWS_DOWN && f->addr - a->start < 4096 &&
	    stack_pages() > f->stack_pages)
		return FAULT_GUARD;
	return a->ops ? FAULT_TRANSITION : FAULT_ZERO;
}

/* Samples of the software events of perf: the kernel has handled the fault. */
struct fault_sample {
	unsigned long regs[BPF_USER_REGS];
	__u64 period, addr;
};

/* A copy of it: programs that read the stack of a process have faults of their own. */
static __always_inline int fault_ends(const struct fault_sample *ctx, struct fault *out)
{
	struct fault *f = own_fault(0);

	if (!f || !f->addr || (f->addr ^ ctx->addr) >> 12)
		return 0;
	*out = *f;
	f->addr = 0;
	return 1;
}

SEC("perf_event")
int on_hard(struct fault_sample *ctx)
{
	struct fault f;
	struct area a;

	if (!fault_ends(ctx, &f))
		return 0;
	find_area(&a, f.addr);
	fault_is(ctx, FAULT_HARD, &f, &a);
	return 0;
}

SEC("perf_event")
int on_soft(struct fault_sample *ctx)
{
	struct fault f;
	struct area a;

	if (!fault_ends(ctx, &f))
		return 0;
	fault_is(ctx, classify(&f, &a), &f, &a);
	return 0;
}

/* ---- faults that the kernel does nothing about ---- */

struct kernel_siginfo {
	int si_code;
} KERNEL;

enum { SIGBUS = 7, SIGSEGV = 11, CODE_ACCERR = 2, CODE_ADRERR = 2, CODE_PKUERR = 4 };

/* The signal of the fault that is under way. */
static __always_inline void fault_is_forbidden(void *ctx, int sig, struct kernel_siginfo *info,
					       struct task_struct *task)
{
	struct fault *f, own;
	int code;

	if ((sig != SIGSEGV && sig != SIGBUS) || task != bpf_get_current_task_btf() ||
	    (__u64)info <= 2)
		return;
	code = BPF_CORE_READ(info, si_code);
	if (code <= 0 || code > (sig == SIGBUS ? CODE_ADRERR : CODE_PKUERR))
		return;
	f = own_fault(0);
	if (!f || !f->addr)
		return;
	own = *f;
	f->addr = 0;
	own.is_forbidden = sig == SIGSEGV && code >= CODE_ACCERR;
	fault_is(ctx, FAULT_NO_ACCESS, &own, 0);
}

#endif
