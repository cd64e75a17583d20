/*
 * faults.h: page faults, from the moment in which the processor complains to the end of what the
 * kernel does about it: only then is known of which kind most were. The file that includes this one
 * has a function fault_is(), the last that a program does (it may call those of clauses), and says
 * in TIMED_ROWS which rows ask how long one took.
 */
#ifndef BPF_FAULTS_H
#define BPF_FAULTS_H

const volatile struct bpf_faults_wants faults_wanted = {0};
#define wants faults_wanted.wants

#include "providers/kernel/bpf/areas.h"
#include "providers/kernel/bpf/pages.h"

enum { BPF_MAP_TYPE_TASK_STORAGE = 29, BPF_F_NO_PREALLOC = 1, BPF_LOCAL_STORAGE_GET_F_CREATE = 1 };

enum fault_class {
	FAULT_HARD,	  /* there was something to read */
	FAULT_TRANSITION, /* it was in memory, as a file's page, or one that was to be swapped out
			   */
	FAULT_ZERO,
	FAULT_COPY,
	FAULT_GUARD, /* a stack has grown */
	FAULT_OTHER, /* of shared memory that is written to first ... */
	FAULT_NO_ACCESS,
};

/* By a program of which kind it is told; a constant. */
enum fault_teller { TOLD_AT_BEGIN, TOLD_AT_END, TOLD_BY_SIGNAL };

/* Bits of the error code (arch/x86/include/asm/trap_pf.h). */
enum { FAULT_PRESENT = 1, FAULT_WRITE = 2, FAULT_OF_KEY = 0x20 };

/* What a thread is about. */
struct fault {
	__u64 addr; /* 0: nothing */
	__u64 pc, start_ns, stack_pages;
	__u32 code, is_kernel;
	__u32 is_forbidden; /* there is something, but not for this */
	__u32 is_kept;	    /* the page was not there, but somewhere */
	/* of a system call that maps memory */
	__u32 prot;
	__u64 brk;
};

/* ... and where its last fault was: a program that fills memory has many in one area. */
struct fault_state {
	struct fault now;
	struct areas_key key;
	struct area last;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct fault_state);
} faults SEC(".maps");

static __always_inline struct fault_state *own_state(__u64 flags)
{
	return bpf_task_storage_get(&faults, (void *)bpf_get_current_task_btf(), 0, flags);
}

static __always_inline struct fault *own_fault(__u64 flags)
{
	struct fault_state *s = own_state(flags);

	return s ? &s->now : 0;
}

static __always_inline void fault_is(void *ctx, enum fault_teller, enum fault_class, struct fault *,
				     struct area *);

static __always_inline __u64 stack_pages(void)
{
	struct task_struct___area *t = (void *)bpf_get_current_task_btf();
	struct mm_struct___area *mm = t->mm;

	return mm ? mm->stack_vm : 0;
}

/* An interrupt that looks at the stack of a process does without what is not there; the fault of
 * its own that it has by that may come while the process is within one. */
static __always_inline int is_refused(void)
{
	struct task_struct___area *t = (void *)bpf_get_current_task_btf();

	return t->pagefault_disabled != 0;
}

/* Nothing is there, and nothing kept: in a file of swap, or as the mark of something. */
static __noinline int is_no_page(__u64 addr)
{
	return !find_entry(own_tables(), faults_wanted.direct_map, addr).value;
}

/*
 * What the kernel is about to do, where that is certain: it fails only where the process ends, by a
 * signal or as there is no memory.
 */
static __always_inline enum fault_class foresee(const struct fault *f, const struct area *a)
{
	if (!a->is_found || f->code & FAULT_OF_KEY || !(a->flags & AREA_ACCESS) ||
	    (f->code & FAULT_WRITE && !(a->flags & AREA_WRITE)))
		return FAULT_OTHER;
	if (f->code & FAULT_PRESENT)
		return f->code & FAULT_WRITE && !(a->flags & AREA_SHARED) ? FAULT_COPY
									  : FAULT_OTHER;
	if (a->ops || a->flags & AREA_ASKS_USER || !is_no_page(f->addr))
		return FAULT_OTHER;
	return FAULT_ZERO;
}

static __always_inline void tell_foreseen(void *ctx, __u64 addr, struct pt_regs *regs, __u64 code,
					  __u32 is_kernel)
{
	struct fault f = {
		.addr = addr, .pc = regs->ip, .code = (__u32)code, .is_kernel = is_kernel};
	enum fault_class is;
	struct area a;

	find_area(&a, addr);
	is = foresee(&f, &a);
	if (is != FAULT_OTHER)
		fault_is(ctx, TOLD_AT_BEGIN, is, &f, &a);
}

static __always_inline void fault_begins(void *ctx, __u64 addr, struct pt_regs *regs, __u64 code,
					 __u32 is_kernel)
{
	struct fault *f;

	if (!current_passes(&wants.filter) || (is_kernel && is_refused()))
		return;
	if (faults_wanted.when == BPF_FAULTS_AT_BEGIN) {
		tell_foreseen(ctx, addr, regs, code, is_kernel);
		return;
	}
	f = own_fault(BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!f) {
		count_lost(); /* its end will not be told */
		return;
	}
	f->addr = addr;
	f->pc = regs->ip;
	f->start_ns = wants.rows & TIMED_ROWS ? bpf_ktime_get_ns() : 0;
	f->stack_pages = stack_pages();
	f->code = (__u32)code;
	f->is_kernel = is_kernel;
	f->is_kept = faults_wanted.direct_map && !(code & FAULT_PRESENT) && !is_no_page(addr);
}

SEC("tp_btf/page_fault_user")
int BPF_PROG(on_user_fault, unsigned long addr, struct pt_regs *regs, unsigned long code)
{
	fault_begins(ctx, addr, regs, code, 0);
	return 0;
}

SEC("tp_btf/page_fault_kernel")
int BPF_PROG(on_kernel_fault, unsigned long addr, struct pt_regs *regs, unsigned long code)
{
	fault_begins(ctx, addr, regs, code, 1);
	return 0;
}

/* The area of the fault that has ended. */
static __always_inline void find_again(struct fault_state *s, struct area *to, __u64 addr)
{
	struct areas_key key;
	int is_known = areas_key(&key);

	if (is_known && same_areas(&key, &s->key) && s->last.start <= addr && addr < s->last.end) {
		*to = s->last;
		return;
	}
	find_area(to, addr);
	s->last.end = 0; /* holds for no address */
	if (!is_known || !to->is_found)
		return;
	s->last = *to;
	s->key = key;
}

static __always_inline enum fault_class classify(const struct fault *f, const struct area *a)
{
	if (!a->is_found)
		return FAULT_OTHER;
	if (f->code & FAULT_PRESENT)
		return f->code & FAULT_WRITE && a->flags & AREA_WRITE && !(a->flags & AREA_SHARED)
			       ? FAULT_COPY
			       : FAULT_OTHER;
	if (a->flags & AREA_GROWS_DOWN && f->addr - a->start < 4096 &&
	    stack_pages() > f->stack_pages)
		return FAULT_GUARD;
	return a->ops || f->is_kept ? FAULT_TRANSITION : FAULT_ZERO;
}

/* Samples of the software events of perf: the kernel has handled the fault. */
struct fault_sample {
	unsigned long regs[BPF_USER_REGS];
	__u64 period, addr;
};

/* A copy of it: programs that read the stack of a process have faults of their own. */
static __always_inline struct fault_state *fault_ends(const struct fault_sample *ctx,
						      struct fault *out)
{
	struct fault_state *s = own_state(0);

	if (!s || !s->now.addr || (s->now.addr ^ ctx->addr) >> 12)
		return 0;
	*out = s->now;
	s->now.addr = 0;
	return s;
}

/* Nothing was kept of its beginning. */
static __always_inline void tell_ended(struct fault_sample *ctx, int is_hard)
{
	struct fault f = {.addr = ctx->addr};
	struct area a = {.is_found = 0};

	if (!current_passes(&wants.filter))
		return;
	if (is_hard)
		find_area(&a, f.addr);
	fault_is(ctx, TOLD_AT_END, is_hard ? FAULT_HARD : FAULT_OTHER, &f, &a);
}

SEC("perf_event")
int on_hard(struct fault_sample *ctx)
{
	struct fault f;
	struct area a;

	if (faults_wanted.when == BPF_FAULTS_AT_END) {
		tell_ended(ctx, 1);
		return 0;
	}
	if (!fault_ends(ctx, &f))
		return 0;
	find_area(&a, f.addr);
	fault_is(ctx, TOLD_AT_END, FAULT_HARD, &f, &a);
	return 0;
}

SEC("perf_event")
int on_soft(struct fault_sample *ctx)
{
	struct fault_state *s;
	struct fault f;
	struct area a;

	if (faults_wanted.when == BPF_FAULTS_AT_END) {
		tell_ended(ctx, 0);
		return 0;
	}
	s = fault_ends(ctx, &f);
	if (!s)
		return 0;
	find_again(s, &a, f.addr);
	fault_is(ctx, TOLD_AT_END, classify(&f, &a), &f, &a);
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
	fault_is(ctx, TOLD_BY_SIGNAL, FAULT_NO_ACCESS, &own, 0);
}

SEC("tp_btf/signal_generate")
int BPF_PROG(on_signal, int sig, struct kernel_siginfo *info, struct task_struct *task)
{
	fault_is_forbidden(ctx, sig, info, task);
	return 0;
}

#endif
