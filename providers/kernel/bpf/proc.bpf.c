/*
 * proc.bpf.c: processes and threads that begin and end, programs that are executed, signals.
 */
#include "providers/kernel/bpf/arguments.h"
#include "providers/kernel/bpf/clauses.h"
#include "providers/kernel/bpf/files.h"

enum { CLONE_THREAD = 0x10000, EEXIST = 17 };
/* for is_call(): of 64-bit programs, and of 32-bit ones */
#define NR_READ		     0, 3
#define NR_MUNMAP	     11, 91
#define NR_EXECVE	     59, 11
#define NR_RT_SIGTIMEDWAIT   128, 177
#define NR_SIGTIMEDWAIT_LONG -1, 421 /* rt_sigtimedwait_time64 */
#define NR_EXECVEAT	     322, 358
enum { SIGILL = 4, SIGTRAP = 5, SIGBUS = 7, SIGFPE = 8, SIGKILL = 9, SIGSEGV = 11 };

const volatile struct bpf_wants wants = {0};

/* One for each tracepoint, as these have different arguments. */
CLAUSE_PROGRAM(create_clauses); /* of the parent */
CLAUSE_PROGRAM(new_clauses);
CLAUSE_PROGRAM(exit_clauses);
CLAUSE_PROGRAM(enter_clauses);
CLAUSE_PROGRAM(return_clauses);
CLAUSE_PROGRAM(generate_clauses);
CLAUSE_PROGRAM(deliver_clauses);

/* Of what the current thread does: the rows whose clauses are to run, at the end of the program. */
static __always_inline __u32 tell_own(void *events, __u32 rows, __u64 a0, __u64 a1, __u64 a2,
				      __u64 a3)
{
	const struct count_words words = {.v = {a0, a1, a2, a3}};

	if (!(wants.clauses & rows) || !current_passes(&wants.filter))
		return 0;
	return tell_own_clauses(events, &wants, rows, &words);
}

/* Of the kernel's siginfo what the tracepoints' users see (include/linux/signal_types.h). */
struct kernel_siginfo {
	int si_signo, si_errno, si_code;
	union {
		struct {
			int _pid;
			unsigned int _uid;
		} _kill;
		struct {
			int _pid;
			unsigned int _uid;
			int _status;
		} _sigchld;
		struct {
			void *_addr;
		} _sigfault;
	} _sifields;
} KERNEL;

struct k_sigaction {
	struct {
		void *sa_handler;
	} sa;
} KERNEL;

struct sighand_struct {
	struct k_sigaction action[64];
} KERNEL;

struct task_struct___signals {
	unsigned int ptrace;
	struct sighand_struct *sighand;
	struct {
		unsigned long sig[1];
	} blocked, real_blocked;
} KERNEL;

struct linux_binprm {
	const char *filename;
} KERNEL;

/* Paths of execs in pages that were not there yet, by thread: the call itself brings them in. */
struct late_path {
	__u64 entry_ns, addr;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, struct late_path);
} late SEC(".maps");

static __always_inline void read_path(struct bpf_proc *pr, const char *path)
{
	struct late_path l = {.entry_ns = pr->head.time_ns, .addr = (__u64)path};
	__u32 tid = pr->head.tid;

	if (bpf_probe_read_user_str(pr->path, sizeof(pr->path), path) >= 0)
		return;
	pr->path[0] = '\0';
	bpf_map_update_elem(&late, &tid, &l, BPF_ANY);
}

static __always_inline void fill(struct bpf_proc *pr, unsigned int row, int number,
				 struct kernel_siginfo *info, __u64 handler)
{
	__builtin_memset(&pr->info, 0, sizeof(pr->info));
	pr->row = row;
	pr->number = number;
	pr->handler = handler;
	pr->info.signo = number;
	if ((unsigned long)info > 1) { /* SEND_SIG_NOINFO, SEND_SIG_PRIV: it has none */
		pr->info.code = BPF_CORE_READ(info, si_code);
		pr->info.error = BPF_CORE_READ(info, si_errno);
		pr->info.pid = BPF_CORE_READ(info, _sifields._kill._pid);
		pr->info.uid = BPF_CORE_READ(info, _sifields._kill._uid);
		pr->info.status = BPF_CORE_READ(info, _sifields._sigchld._status);
		pr->info.addr = (__u64)BPF_CORE_READ(info, _sifields._sigfault._addr);
	}
}

static __always_inline void put(void *ctx, struct task_struct *about, unsigned int row, int number,
				const char *path, struct kernel_siginfo *info, __u64 handler)
{
	struct bpf_proc *pr;
	__u64 time_ns;

	if (!(wants.rows & 1U << row) || !current_passes(&wants.filter))
		return;
	time_ns = put_own_stacks(ctx, wants.stacks, 0);
	if (time_ns == NO_ROOM)
		return;
	if (wants.details)
		pr = reserve_at(sizeof(*pr), BPF_KIND_PROC, time_ns);
	else
		pr = reserve_at(BPF_PROC_SHORT, BPF_KIND_PROC, time_ns);
	if (!pr)
		return;
	if (wants.details) {
		fill_task(&pr->task, about, pr->head.time_ns);
		pr->path[0] = '\0';
		if (path)
			read_path(pr, path);
	}
	fill(pr, row, number, info, handler);
	submit(pr);
}

/* Those that begin are told of in the name of the child. */
static __always_inline __u32 tell_started(struct task_struct *task, __u32 rows)
{
	struct bpf_clause_event *ev = BEGIN_CLAUSES(new_clauses, &wants, rows);

	if (!ev)
		return 0;
	ev->pid = task->tgid;
	ev->tid = task->pid;
	if (wants.names)
		get_name(ev->name, task);
	__builtin_memset(ev->words, 0, sizeof(ev->words));
	return ev->rows;
}

static __always_inline __u32 row_of_creation(unsigned long flags)
{
	return flags & CLONE_THREAD ? 1U << PROC_LWP_CREATE : 1U << PROC_CREATE;
}

/* Before on_new(), as parents are told of first: a program calls one other. */
SEC("tp_btf/task_newtask")
int BPF_PROG(on_creation, struct task_struct *task, unsigned long flags)
{
	struct task_struct___task *t = (void *)task;
	__u32 row = row_of_creation(flags);

	if (wants.clauses & row && tell_own(&create_clauses_event, row, BPF_CORE_READ(t, tgid),
					    BPF_CORE_READ(t, pid), 0, 0))
		RUN_CLAUSES(ctx, create_clauses);
	return 0;
}

/* What on_creation() has told already. */
static __always_inline __u32 told_of_creation(unsigned long flags)
{
	struct bpf_clause_event *ev;

	if (!(wants.clauses & row_of_creation(flags)) || !current_passes(&wants.filter))
		return 0;
	ev = BEGIN_CLAUSES(create_clauses, &wants, row_of_creation(flags));
	return ev ? ev->rows : 0;
}

/* In the parent. What is told in the child's name is told by the engine, at the same time. */
SEC("tp_btf/task_newtask")
int BPF_PROG(on_new, struct task_struct *task, unsigned long flags)
{
	__u32 created = flags & CLONE_THREAD ? PROC_LWP_CREATE : PROC_CREATE;
	__u32 rows = flags & CLONE_THREAD ? 1U << PROC_LWP_START
					  : 1U << PROC_START | 1U << PROC_LWP_START;
	struct bpf_proc *pr;
	__u32 started, told;
	__u64 time_ns;

	if (wants.filter.root != BPF_FILTER_PASS && !current_passes(&wants.filter) &&
	    !filter_passes(&wants.filter, task, 0, 0))
		return 0;
	started = tell_started(task, rows);
	told = started | told_of_creation(flags);
	if (told && !((rows | 1U << created) & wants.rows & ~told)) {
		if (started)
			RUN_CLAUSES(ctx, new_clauses);
		return 0;
	}
	time_ns = put_own_stacks(ctx, wants.stacks, put_pieces(task, wants.stacks, 0));
	if (time_ns == NO_ROOM)
		return 0;
	pr = reserve_at(sizeof(*pr), BPF_KIND_PROC, time_ns);
	if (!pr)
		return 0;
	fill_task(&pr->task, task, pr->head.time_ns);
	pr->path[0] = '\0';
	fill(pr, created, 0, 0, 0);
	pr->head.counted = told;
	submit(pr);
	if (started)
		RUN_CLAUSES(ctx, new_clauses);
	return 0;
}

struct process {
	__u64 tgid, start_ns;
};

/* Processes whose end is told. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, struct process);
	__type(value, __u32);
} ends SEC(".maps");

/* Threads that end at once are counted before any of them is told of: each may look like the last.
 */
static __always_inline int is_first_to_tell(struct task_struct *task)
{
	struct task_struct___task *t = (void *)task;
	struct process e = {.tgid = BPF_CORE_READ(t, tgid),
			    .start_ns = BPF_CORE_READ(t, group_leader, start_boottime)};
	__u32 one = 1;

	if (!(wants.rows & 1U << PROC_EXIT))
		return 0;
	/* told twice rather than not at all where the map has no room */
	return bpf_map_update_elem(&ends, &e, &one, BPF_NOEXIST) != -EEXIST;
}

/* wait(2), and CLD_ of <signal.h>. */
enum { SIGNAL_BITS = 0x7f, CORE_BIT = 0x80, CLD_EXITED = 1, CLD_KILLED, CLD_DUMPED };

static __always_inline __u32 tell_exit(__u32 rows, int status)
{
	const int sig = status & SIGNAL_BITS;
	__u64 reason = !sig ? CLD_EXITED : status & CORE_BIT ? CLD_DUMPED : CLD_KILLED;

	return tell_own(&exit_clauses_event, rows, reason, sig ? sig : status >> 8 & 0xff, 0, 0);
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	struct task_struct___task *t = (void *)task;
	const int status = BPF_CORE_READ(t, exit_code);
	__u32 rows = 1U << PROC_LWP_EXIT, told;

	if (BPF_CORE_READ(t, signal, live.counter) <= 0 && is_first_to_tell(task))
		rows |= 1U << PROC_EXIT;
	told = tell_exit(rows, status);
	if (!(told & 1U << PROC_LWP_EXIT))
		put(ctx, task, PROC_LWP_EXIT, 0, 0, 0, 0);
	if (rows & ~told & 1U << PROC_EXIT)
		put(ctx, task, PROC_EXIT, status, 0, 0, 0);
	if (told)
		RUN_CLAUSES(ctx, exit_clauses);
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *regs, long id)
{
	const char *path;

	if (is_call(id, NR_EXECVE))
		path = (const char *)call_arg(regs, 0);
	else if (is_call(id, NR_EXECVEAT))
		path = (const char *)call_arg(regs, 1);
	else
		return 0;
	if (tell_own(&enter_clauses_event, 1U << PROC_EXEC, 0, 0, 0, 0))
		RUN_CLAUSES(ctx, enter_clauses);
	else
		put(ctx, bpf_get_current_task_btf(), PROC_EXEC, 0, path, 0, (__u64)path);
	return 0;
}

/* linux/signalfd.h: what read() gives of each signal begins with its number. */
enum { SIGNALFD_INFO = 128, SIGNALFD_MAX = 16 };

struct reading {
	void *ctx;
	__u64 buf;
};

static long tell_one(__u32 i, struct reading *r)
{
	__u32 sig = 0;

	bpf_probe_read_user(&sig, sizeof(sig), (void *)(r->buf + (__u64)i * SIGNALFD_INFO));
	put(r->ctx, bpf_get_current_task_btf(), PROC_SIGNAL_CLEAR, sig, 0, 0, 0);
	return 0;
}

/* Signals that have been read from a file. Each is verified once: one after the other, with their
 * stacks, they are too much for Linux 6.1. Before 5.17 only the first is told. */
static __always_inline void tell_read(void *ctx, struct pt_regs *regs, long ret)
{
	struct file___exe *f = (void *)file_of((__u32)call_arg(regs, 0), 0);
	struct reading r = {.ctx = ctx, .buf = call_arg(regs, 1)};
	static const char signalfd[16] = "[signalfd]";
	__u64 name[2] = {0, 0}, n = ret / SIGNALFD_INFO;

	bpf_probe_read_kernel_str(name, sizeof(name), BPF_CORE_READ(f, f_path.dentry, d_name.name));
	if (name[0] != *(const __u64 *)signalfd || name[1] != *(const __u64 *)(signalfd + 8))
		return;
	if (bpf_core_enum_value_exists(enum bpf_func_id___pieces, BPF_FUNC_loop___pieces))
		bpf_loop(n < SIGNALFD_MAX ? n : SIGNALFD_MAX, tell_one, &r, 0);
	else
		tell_one(0, &r);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_read, struct pt_regs *regs, long ret)
{
	if (ret >= SIGNALFD_INFO && is_call(BPF_CORE_READ(regs, orig_ax), NR_READ))
		tell_read(ctx, regs, ret);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_return, struct pt_regs *regs, long ret)
{
	long nr = BPF_CORE_READ(regs, orig_ax);

	if (is_call(nr, NR_EXECVE) || is_call(nr, NR_EXECVEAT)) {
		const __u32 row = ret ? PROC_EXEC_FAILURE : PROC_EXEC_SUCCESS;

		if (tell_own(&return_clauses_event, 1U << row, (__u64)-ret, 0, 0, 0))
			RUN_CLAUSES(ctx, return_clauses);
		else
			put(ctx, bpf_get_current_task_btf(), row, -ret, 0, 0, 0);
	}
	if (ret > 0 && (is_call(nr, NR_RT_SIGTIMEDWAIT) || is_call(nr, NR_SIGTIMEDWAIT_LONG)))
		put(ctx, bpf_get_current_task_btf(), PROC_SIGNAL_CLEAR, ret, 0, 0, 0);
	return 0;
}

/* What was unmapped: the engine knows whether it was a program or library. */
SEC("tp_btf/sys_exit")
int BPF_PROG(on_unmap, struct pt_regs *regs, long ret)
{
	struct bpf_proc *pr;

	if (ret || !is_call(BPF_CORE_READ(regs, orig_ax), NR_MUNMAP))
		return 0;
	if (!current_passes(&wants.filter))
		return 0;
	pr = reserve(BPF_PROC_SHORT, BPF_KIND_PROC);
	if (!pr)
		return 0;
	__builtin_memset(&pr->info, 0, sizeof(pr->info));
	pr->row = PROC_MODULE_UNLOAD;
	pr->number = 0;
	pr->handler = call_arg(regs, 0);
	pr->info.addr = call_arg(regs, 1);
	submit(pr);
	return 0;
}

/* from: the kernel's copy; 0: there is none, the process has the path still */
static __always_inline void tell_late(__u32 tid, const char *from)
{
	struct late_path *l = bpf_map_lookup_elem(&late, &tid);
	struct bpf_proc_late *pl;
	const void *user;
	long n;

	if (!l)
		return;
	pl = reserve(sizeof(*pl), BPF_KIND_PROC_LATE);
	if (pl) {
		pl->head.tid = tid;
		pl->entry_ns = l->entry_ns;
		user = (const void *)l->addr;
		n = from ? bpf_probe_read_kernel_str(pl->path, sizeof(pl->path), from)
			 : bpf_probe_read_user_str(pl->path, sizeof(pl->path), user);
		if (n < 0)
			pl->path[0] = '\0';
		submit(pl);
	}
	bpf_map_delete_elem(&late, &tid);
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_late_exec, struct task_struct *task, int old_tid, struct linux_binprm *bprm)
{
	tell_late((__u32)old_tid, BPF_CORE_READ(bprm, filename));
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_late, struct pt_regs *regs, long ret)
{
	tell_late((__u32)bpf_get_current_pid_tgid(), 0);
	return 0;
}

static __always_inline int is_fault(int sig, struct kernel_siginfo *info)
{
	if (sig != SIGSEGV && sig != SIGBUS && sig != SIGFPE && sig != SIGILL && sig != SIGTRAP)
		return 0;
	return (unsigned long)info > 1 && BPF_CORE_READ(info, si_code) > 0;
}

enum { SIGCHLD = 17, SIGCONT = 18, SIGURG = 23, SIGWINCH = 28, NSIG = 64 };
enum { HANDLER_DEFAULT, HANDLER_IGNORE };

/* Of a traced process (those of -c and -p are) the kernel discards no signal that is ignored: it is
 * for the tracer to see, and goes when that has let it pass. */
static __always_inline int is_ignored(int sig, struct task_struct *task)
{
	const __u64 by_default =
		1ULL << SIGCHLD | 1ULL << SIGCONT | 1ULL << SIGURG | 1ULL << SIGWINCH;
	struct task_struct___signals *t = (void *)task;
	__u64 action, handler, bit = (__u64)(sig - 1) & (NSIG - 1);

	if (sig < 1 || sig > NSIG || !BPF_CORE_READ(t, ptrace) ||
	    (BPF_CORE_READ(t, blocked.sig[0]) | BPF_CORE_READ(t, real_blocked.sig[0])) >> bit & 1)
		return 0;
	action = (__u64)BPF_CORE_READ(t, sighand) +
		 bpf_core_field_offset(((struct sighand_struct *)0)->action) +
		 bit * bpf_core_type_size(struct k_sigaction);
	handler = (__u64)BPF_CORE_READ((struct k_sigaction *)action, sa.sa_handler);
	return handler == HANDLER_IGNORE ||
	       (handler == HANDLER_DEFAULT && by_default >> (bit + 1) & 1);
}

SEC("tp_btf/signal_generate")
int BPF_PROG(on_generate, int sig, struct kernel_siginfo *info, struct task_struct *task, int group,
	     int result)
{
	const __u32 row = result || is_ignored(sig, task) ? PROC_SIGNAL_DISCARD : PROC_SIGNAL_SEND;
	const __u32 faults = is_fault(sig, info) ? 1U << PROC_FAULT : 0;
	struct task_struct___task *t = (void *)task;
	__u32 told = tell_own(&generate_clauses_event, 1U << row | faults, (__u64)(__u32)sig,
			      BPF_CORE_READ(t, tgid), BPF_CORE_READ(t, pid),
			      faults ? (__u64)(__s64)BPF_CORE_READ(info, si_code) : 0);

	if (!(told & 1U << row))
		put(ctx, task, row, sig, 0, info, 0);
	if (faults & ~told)
		put(ctx, task, PROC_FAULT, sig, 0, info, 0);
	if (told)
		RUN_CLAUSES(ctx, generate_clauses);
	return 0;
}

SEC("tp_btf/signal_deliver")
int BPF_PROG(on_deliver, int sig, struct kernel_siginfo *info, struct k_sigaction *ka)
{
	struct task_struct___task *t = (void *)bpf_get_current_task_btf();
	int fatal = BPF_CORE_READ(t, signal, group_exit_code) & 0x7f;
	__u64 handler;

	if (is_ignored(sig, (void *)t))
		return 0;
	/* all threads of a process that a signal ends are sent SIGKILL */
	if (sig == SIGKILL && fatal)
		sig = fatal;
	handler = (__u64)BPF_CORE_READ(ka, sa.sa_handler);
	if (tell_own(&deliver_clauses_event, 1U << PROC_SIGNAL_HANDLE, (__u64)(__u32)sig, handler,
		     0, 0))
		RUN_CLAUSES(ctx, deliver_clauses);
	else
		put(ctx, bpf_get_current_task_btf(), PROC_SIGNAL_HANDLE, sig, 0, info, handler);
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
