/*
 * The state machine of a thread (docs/spec/pid-engine.md §5.3), by scripts: what the kernel would
 * report is given, what would be asked of it is written down. Nothing is traced: ptrace() and
 * waitpid() are ours.
 */
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/test.h"
#include "tracer/journal/journal.h"
#include "tracer/tracer_priv.h"
#include "tracer/remote.h"
#include "tracer/procfs/procfs.h"

#define LEADER 0x40000001 /* no such processes: above any pid_max */
#define THREAD 0x40000002
#define CHILD  0x40000003

#define STOPPED(sig)	  ((sig) << 8 | 0x7f)
#define EVENT(event, sig) (STOPPED(sig) | (event) << 16)
#define ANSWER		  EVENT(PTRACE_EVENT_STOP, SIGTRAP)

/* ---- the kernel ---- */

static struct {
	char asked[512]; /* what lets threads run, in order: "CONT 10; LISTEN" */
	siginfo_t si;
	struct user_regs_struct regs;
	bool is_dead; /* every request fails */
	bool cannot_listen;
	int blocked;	  /* signals that wait in front of the trap, in the kernel's list */
	int trap_behind;  /* a trap waits behind the next so many stops but one; 0: none does */
	int fault_behind; /* the trap is this, of an instruction */
	bool other_first; /* of any: the first is the second thread's, the rest the leader's */
	unsigned nset;	  /* how often registers were written */
	int coming[8];	  /* statuses that waitpid has, in order */
	unsigned ncoming, taken;
} kernel;

static void asked(const char *what, pid_t tid, long sig)
{
	char *at = kernel.asked + strlen(kernel.asked);
	size_t room = sizeof(kernel.asked) - (size_t)(at - kernel.asked);

	at += snprintf(at, room, "%s%s%s", *kernel.asked ? "; " : "", tid == CHILD ? "child " : "",
		       what);
	if (sig >= 0)
		snprintf(at, room - strlen(what), " %ld", sig);
}

static bool trap_waits(void)
{
	return kernel.trap_behind > 0 && (int)kernel.taken < kernel.trap_behind;
}

/* The signals that wait, those that are blocked first. */
static long peek(const struct __ptrace_peeksiginfo_args *args, siginfo_t *si)
{
	int n = kernel.blocked + trap_waits(), given = 0;

	for (int i = (int)args->off; i < n && given < args->nr; i++, given++)
		si[given] = (siginfo_t){.si_signo = i < kernel.blocked	  ? SIGRTMAX
						    : kernel.fault_behind ? kernel.fault_behind
									  : SIGTRAP,
					.si_code = i < kernel.blocked ? SI_QUEUE : SI_KERNEL};
	return given;
}

long ptrace(enum __ptrace_request request, ...)
{
	va_list ap;
	pid_t tid;
	void *addr, *data;
	long sig;

	va_start(ap, request);
	tid = va_arg(ap, pid_t);
	addr = va_arg(ap, void *);
	data = va_arg(ap, void *);
	va_end(ap);
	sig = (long)(intptr_t)data;
	if (kernel.is_dead) {
		errno = ESRCH;
		return -1;
	}
	switch ((int)request) {
	case PTRACE_CONT:
		asked("CONT", tid, sig);
		break;
	case PTRACE_SYSCALL:
		asked("SYSCALL", tid, sig);
		break;
	case PTRACE_SINGLESTEP:
		asked("STEP", tid, sig);
		break;
	case PTRACE_DETACH:
		asked("DETACH", tid, sig);
		break;
	case PTRACE_LISTEN:
		asked("LISTEN", tid, -1);
		if (!kernel.cannot_listen)
			break;
		errno = EIO;
		return -1;
	case PTRACE_INTERRUPT:
		asked("INTERRUPT", tid, -1);
		break;
	case PTRACE_GETSIGINFO:
		memcpy(data, &kernel.si, sizeof(kernel.si));
		break;
	case PTRACE_GETREGS:
		memcpy(data, &kernel.regs, sizeof(kernel.regs));
		break;
	case PTRACE_SETREGS:
		kernel.nset++;
		break;
	case PTRACE_GETEVENTMSG:
		*(unsigned long *)data = CHILD;
		break;
	case PTRACE_PEEKUSER:
		if ((uintptr_t)addr == offsetof(struct user, regs.rip))
			return (long)kernel.regs.rip;
		break;
	case PTRACE_POKEUSER:
		if ((uintptr_t)addr == offsetof(struct user, regs.rip))
			kernel.regs.rip = (uintptr_t)data;
		break;
	case PTRACE_GETSIGMASK:
		memset(data, 0, 8);
		break;
	case PTRACE_PEEKSIGINFO:
		return peek(addr, data);
	default:
		break;
	}
	return 0;
}

/* Whatever else has their numbers, and however long the test is kept from its CPU. */
bool procfs_is_uninterruptible(UNUSED pid_t tid)
{
	return false;
}

pid_t waitpid(pid_t tid, int *status, UNUSED int options)
{
	if (kernel.taken == kernel.ncoming) {
		errno = ECHILD;
		return -1;
	}
	if (tid == -1)
		tid = kernel.other_first && !kernel.taken ? THREAD : LEADER;
	*status = kernel.coming[kernel.taken++];
	if (kernel.taken == kernel.ncoming) /* the last one: the step has been made */
		kernel.regs.rip++;
	return tid;
}

/* ---- the engine ---- */

static struct arena arena;
static struct tracer *tracer;
static struct proc *proc;
static struct thread *thread;
static int exited, execed;

static void on_exited(UNUSED void *arg, UNUSED struct proc *p, int status)
{
	exited = status;
}

static void on_execed(UNUSED void *arg, UNUSED struct proc *p)
{
	execed++;
}

static void on_mapped(UNUSED void *arg, UNUSED struct proc *p)
{
}

/* A process that runs, with two threads; `thread` is the second. */
static void set_up(void)
{
	static const struct tracer_ops ops = {
		.exited = on_exited, .execed = on_execed, .ready = on_mapped, .mapped = on_mapped};
	static struct journal *journal;
	struct err err;

	memset(&kernel, 0, sizeof(kernel));
	if (!journal) {
		if (arena_init_shared(&arena, 1ULL << 30, &err))
			TEST_FAIL("%s", err.text);
		journal = journal_new(&arena);
	}
	exited = -1;
	execed = 0;
	kernel.regs.cs = USER_CS;
	kernel.regs.rip = 0x1000;
	kernel.regs.orig_rax = UINT64_MAX;
	tracer = tracer_new(&ops, NULL, journal);
	tracer->colocate = false;
	proc = proc_new(tracer, LEADER);
	proc->stage = STAGE_LIVE;
	thread_new(proc, LEADER, LEADER);
	thread = thread_new(proc, THREAD, LEADER);
}

static void is_asked(const char *what, const char *expected)
{
	if (strcmp(kernel.asked, expected) != 0)
		TEST_FAIL("%s: asked '%s', expected '%s'", what, kernel.asked, expected);
}

/* ---- one stop ---- */

static const struct {
	const char *what;
	int status, si_code;
	const char *asked;
} rows[] = {
	{"a signal", STOPPED(SIGUSR1), SI_USER, "CONT 10"},
	{"a fault", STOPPED(SIGSEGV), SEGV_MAPERR, "CONT 11"},
	{"SIGSTOP", STOPPED(SIGSTOP), SI_USER, "CONT 19"},
	{"SIGTSTP", STOPPED(SIGTSTP), SI_USER, "CONT 20"},
	{"SIGCONT", STOPPED(SIGCONT), SI_USER, "CONT 18"},
	{"a real-time signal", STOPPED(64), SI_QUEUE, "CONT 64"},
	{"an int3 of the program", STOPPED(SIGTRAP), SI_KERNEL, "CONT 5"},
	{"SIGTRAP that somebody sent", STOPPED(SIGTRAP), SI_TKILL, "CONT 5"},
	{"a step of the program's own", STOPPED(SIGTRAP), TRAP_TRACE, "CONT 5"},
	{"a hardware breakpoint", STOPPED(SIGTRAP), TRAP_HWBKPT, "CONT 5"},
	{"the answer to an interrupt", ANSWER, 0, "CONT 0"},
	{"SIGSTOP has stopped it", EVENT(PTRACE_EVENT_STOP, SIGSTOP), 0, "LISTEN"},
	{"SIGTSTP has", EVENT(PTRACE_EVENT_STOP, SIGTSTP), 0, "LISTEN"},
	{"SIGTTIN has", EVENT(PTRACE_EVENT_STOP, SIGTTIN), 0, "LISTEN"},
	{"SIGTTOU has", EVENT(PTRACE_EVENT_STOP, SIGTTOU), 0, "LISTEN"},
	{"the end of a vfork", EVENT(PTRACE_EVENT_VFORK_DONE, SIGTRAP), 0, "CONT 0"},
	{"it is about to end", EVENT(PTRACE_EVENT_EXIT, SIGTRAP), 0, "CONT 0"},
	{"seccomp", EVENT(PTRACE_EVENT_SECCOMP, SIGTRAP), 0, "CONT 0"},
	{"a child by fork", EVENT(PTRACE_EVENT_FORK, SIGTRAP), 0, "child DETACH 0; CONT 0"},
	{"a process by clone", EVENT(PTRACE_EVENT_CLONE, SIGTRAP), 0, "child DETACH 0; CONT 0"},
	{"a guest by vfork", EVENT(PTRACE_EVENT_VFORK, SIGTRAP), 0, "child CONT 0; CONT 0"},
};

TEST(each_stop_has_its_answer)
{
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		set_up();
		kernel.si.si_signo = WSTOPSIG(rows[i].status);
		kernel.si.si_code = rows[i].si_code;
		kernel.coming[kernel.ncoming++] = ANSWER; /* a child's first stop */
		dispatch(tracer, THREAD, rows[i].status);
		is_asked(rows[i].what, rows[i].asked);
	}
}

TEST(a_thread_that_is_dead_by_now_is_asked_nothing)
{
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		set_up();
		kernel.is_dead = true;
		dispatch(tracer, THREAD, rows[i].status);
		is_asked(rows[i].what, "");
		dispatch(tracer, THREAD, SIGKILL);
		CHECK(!thread_find(tracer, THREAD));
		CHECK_EQ(exited, -1);
	}
}

TEST(the_end_of_the_first_thread_is_that_of_the_process)
{
	set_up();
	dispatch(tracer, THREAD, 0);
	CHECK_EQ(proc->nthreads, 1);
	CHECK_EQ(exited, -1);
	dispatch(tracer, LEADER, 3 << 8);
	CHECK_EQ(exited, 3 << 8);
	CHECK_EQ(tracer_nprocs(tracer), 0);
}

TEST(exec_leaves_one_thread_and_waits_for_the_new_program)
{
	set_up();
	dispatch(tracer, LEADER, EVENT(PTRACE_EVENT_EXEC, SIGTRAP));
	is_asked("exec", "INTERRUPT; CONT 0");
	CHECK_EQ(execed, 1);
	CHECK_EQ(proc->nthreads, 1);
	CHECK_EQ(proc->stage, STAGE_EXECED);
}

/* ---- several ---- */

TEST(a_group_stop_that_cannot_be_listened_to_is_reported_again)
{
	set_up();
	kernel.cannot_listen = true;
	dispatch(tracer, THREAD, EVENT(PTRACE_EVENT_STOP, SIGSTOP));
	is_asked("it was borrowed", "LISTEN; INTERRUPT; CONT 0");
}

TEST(a_child_may_stop_before_its_parents_event)
{
	set_up();
	dispatch(tracer, CHILD, ANSWER);
	is_asked("not known yet", "");
	dispatch(tracer, THREAD, EVENT(PTRACE_EVENT_VFORK, SIGTRAP)); /* waitpid has nothing */
	is_asked("now it is", "child CONT 0; CONT 0");
	CHECK(thread_find(tracer, CHILD)->guest);
}

TEST(what_was_stuck_at_detach_is_let_go_when_it_stops)
{
	set_up();
	hash_put(&tracer->leaving, CHILD, tracer);
	dispatch(tracer, CHILD, STOPPED(SIGUSR1));
	is_asked("with its signal", "child DETACH 10");
	dispatch(tracer, CHILD, ANSWER);
	is_asked("and forgotten", "child DETACH 10");
}

TEST(one_that_is_to_wait_waits)
{
	set_up();
	thread->hold = true;
	dispatch(tracer, THREAD, ANSWER);
	is_asked("held", "");
	CHECK_EQ(thread->state, THREAD_STOPPED);
}

/* ---- slots and steps ---- */

static struct site *owners[1];
static struct slot_region region = {.start = 0x7000, .nslots = 1, .used = 1, .owners = owners};

static void stand_in_a_slot(void)
{
	static struct site site;

	memset(&site, 0, sizeof(site));
	site.pc = 0x1000;
	site.slot = region.start;
	site.plan.how = INSN_SLOT;
	site.plan.len = 1;
	site.plan.next = 0x1001;
	owners[0] = &site;
	proc->slots =
		(struct slots){.r = &region, .n = 1, .lo = region.start, .hi = region.start + 32};
	kernel.regs.rip = region.start;
}

TEST(a_signal_with_a_handler_finds_the_program_where_it_thinks_it_is)
{
	set_up();
	stand_in_a_slot();
	kernel.si.si_signo = SIGUSR1;
	kernel.coming[kernel.ncoming++] = STOPPED(SIGTRAP);
	dispatch(tracer, THREAD, STOPPED(SIGUSR1));
	is_asked("SIGUSR1", "STEP 0; CONT 10");
	CHECK(kernel.regs.rip < region.start);
}

TEST(a_signal_that_only_stops_is_not_held_back)
{
	set_up();
	stand_in_a_slot();
	dispatch(tracer, THREAD, STOPPED(SIGSTOP));
	is_asked("SIGSTOP", "CONT 19");
	CHECK_EQ(kernel.regs.rip, region.start);
}

TEST(a_step_passes_a_stop_on)
{
	set_up();
	thread_enter_stop(thread, ANSWER);
	kernel.coming[kernel.ncoming++] = STOPPED(SIGSTOP);
	kernel.coming[kernel.ncoming++] = EVENT(PTRACE_EVENT_STOP, SIGSTOP);
	kernel.coming[kernel.ncoming++] = STOPPED(SIGTRAP);
	CHECK_EQ(remote_step(thread), 0);
	is_asked("a step", "STEP 0; STEP 19; STEP 0");
	CHECK(thread->reinterrupt); /* the stop is reported again, to be listened to */
}

/* A debugger has gone, and its breakpoints with it, but one was hit shortly before. */
TEST(a_trap_of_a_breakpoint_that_is_gone_is_nobodys)
{
	static const uint8_t codes[][2] = {{0x90, 0x55}, {0x90, 0xcc}, {0xcd, 3}};
	static const char *const expected[] = {"CONT 0", "CONT 5", "CONT 5"};

	for (unsigned i = 0; i < ARRAY_SIZE(codes); i++) {
		set_up();
		kernel.si.si_signo = SIGTRAP;
		kernel.si.si_code = SI_KERNEL;
		proc->mem_fd = memfd_create("memory", 0);
		CHECK_EQ(pwrite(proc->mem_fd, codes[i], 2, 0x1000 - 2), 2);
		dispatch(tracer, THREAD, STOPPED(SIGTRAP));
		is_asked("a trap", expected[i]);
		CHECK_EQ(kernel.regs.rip, i ? 0x1000 : 0xfff);
	}
}

/* What is armed when a library is found may be given up, and hit in between. */
TEST(at_detach_too)
{
	static const uint8_t code[] = {0x90, 0x55};

	set_up();
	kernel.si.si_signo = SIGTRAP;
	kernel.si.si_code = SI_KERNEL;
	proc->mem_fd = memfd_create("memory", 0);
	CHECK_EQ(pwrite(proc->mem_fd, code, 2, 0x1000 - 2), 2);
	tracer_postpone(tracer, LEADER, ANSWER);
	tracer_postpone(tracer, THREAD, STOPPED(SIGTRAP));
	detach_threads(proc, false);
	is_asked("no signal", "DETACH 0; DETACH 0");
	CHECK_EQ(kernel.regs.rip, 0xfff);
}

/* A process with one thread, which stands behind a breakpoint that has been taken out. */
static void set_up_at_trap(void)
{
	static const uint8_t code[] = {0x90, 0x55};

	set_up();
	thread_free(thread_find(tracer, LEADER));
	kernel.si.si_signo = SIGTRAP;
	kernel.si.si_code = SI_KERNEL;
	proc->mem_fd = memfd_create("memory", 0);
	CHECK_EQ(pwrite(proc->mem_fd, code, 2, 0x1000 - 2), 2);
}

static void comes(int status)
{
	kernel.coming[kernel.ncoming++] = status;
}

#define BEHIND 0x1000 /* waitpid moves it on by one as it gives the last status */

/* The trap was raised, and SIGSTOP and SIGCONT are told first, again and again. */
TEST(no_stop_hides_a_trap_from_detach)
{
	static const struct {
		const char *what;
		int coming[7];
		const char *asked;
	} scripts[] = {
		{"an interrupt", {ANSWER, STOPPED(SIGTRAP)}, "INTERRUPT; CONT 0; DETACH 0"},
		{"a stop",
		 {EVENT(PTRACE_EVENT_STOP, SIGSTOP), STOPPED(SIGTRAP)},
		 "INTERRUPT; CONT 0; DETACH 0"},
		{"a stop's signal, the stop, and its end",
		 {STOPPED(SIGSTOP), EVENT(PTRACE_EVENT_STOP, SIGSTOP), ANSWER, STOPPED(SIGTRAP)},
		 "INTERRUPT; CONT 19; INTERRUPT; CONT 0; CONT 0; DETACH 0"},
		{"two rounds",
		 {STOPPED(SIGCONT), STOPPED(SIGSTOP), EVENT(PTRACE_EVENT_STOP, SIGSTOP), ANSWER,
		  STOPPED(SIGSTOP), EVENT(PTRACE_EVENT_STOP, SIGSTOP), STOPPED(SIGTRAP)},
		 "INTERRUPT; CONT 18; INTERRUPT; CONT 19; INTERRUPT; CONT 0; CONT 0; "
		 "CONT 19; INTERRUPT; CONT 0; DETACH 0"},
	};

	for (unsigned i = 0; i < 2 * ARRAY_SIZE(scripts); i++) {
		set_up_at_trap();
		kernel.regs.rip = BEHIND - 1;
		kernel.blocked = i % 2 ? 20 : 0;
		for (const int *s = scripts[i / 2].coming; *s; s++)
			comes(*s);
		kernel.trap_behind = (int)kernel.ncoming;
		detach_threads(proc, false);
		is_asked(scripts[i / 2].what, scripts[i / 2].asked);
		CHECK_EQ(kernel.regs.rip, BEHIND - 1);
	}
}

/* ---- faults in code of the owner ---- */

static bool is_owners(UNUSED void *arg, UNUSED struct proc *p, taddr_t pc)
{
	return pc >= 0x1000;
}

static bool is_not_the_programs;

static void is_moved(UNUSED void *arg, struct code_fault *f)
{
	CHECK(f->is_leaving);
	f->is_mended = is_not_the_programs;
	f->regs->rip = f->is_mended ? f->regs->rip + 0x10 : 0x500;
}

static void set_up_with_code(int sig)
{
	static const struct tracer_ops ops = {.exited = on_exited,
					      .execed = on_execed,
					      .ready = on_mapped,
					      .mapped = on_mapped,
					      .has_code = is_owners,
					      .faulted = is_moved};

	set_up();
	tracer->ops = &ops;
	thread_free(thread_find(tracer, LEADER));
	kernel.si.si_signo = sig;
	kernel.si.si_code = SEGV_MAPERR;
	is_not_the_programs = false;
}

/* Its handler would come back to code that is about to change. */
TEST(a_fault_in_our_code_is_told_when_that_is_gone)
{
	set_up_with_code(SIGSEGV);
	comes(STOPPED(SIGSEGV));
	detach_threads(proc, false);
	is_asked("with its signal", "INTERRUPT; DETACH 11");
}

TEST(elsewhere_it_is_told_at_once)
{
	set_up_with_code(SIGSEGV);
	kernel.regs.rip = 0x400;
	comes(STOPPED(SIGSEGV));
	comes(ANSWER);
	detach_threads(proc, false);
	is_asked("its handler runs", "INTERRUPT; CONT 11; INTERRUPT; DETACH 0");
}

TEST(a_fault_of_our_own_is_told_to_nobody_who_is_let_go)
{
	set_up_with_code(SIGSEGV);
	is_not_the_programs = true;
	comes(STOPPED(SIGSEGV));
	comes(ANSWER);
	detach_threads(proc, false);
	is_asked("it has gone on", "INTERRUPT; CONT 0; INTERRUPT; DETACH 0");
}

/* The interrupt is told first, at the instruction that has faulted already. */
TEST(no_stop_hides_a_fault_from_detach)
{
	set_up_with_code(SIGSEGV);
	kernel.fault_behind = SIGSEGV;
	kernel.trap_behind = 2;
	comes(ANSWER);
	comes(STOPPED(SIGSEGV));
	detach_threads(proc, false);
	is_asked("it is waited for", "INTERRUPT; CONT 0; DETACH 11");
}

static bool faults_at_the_next(taddr_t pc, UNUSED void *arg)
{
	return pc >= 0x1000;
}

static void take_out(UNUSED void *arg, struct proc *p)
{
	CHECK(!proc_move_out(p, faults_at_the_next, NULL));
	CHECK(thread_has_fault(thread));
	thread_move_fault(thread, 0x500, 0);
	CHECK(proc_move_out(p, faults_at_the_next, NULL));
}

/* It is made to step out of code that is to go, while it is let go. */
TEST(who_faults_on_its_way_out_is_told_of_it)
{
	struct tracer_ops ops;

	set_up_with_code(SIGSEGV);
	ops = *tracer->ops;
	ops.leaving = take_out;
	tracer->ops = &ops;
	comes(ANSWER);
	comes(STOPPED(SIGSEGV));
	detach_threads(proc, false);
	is_asked("with its signal", "INTERRUPT; STEP 0; DETACH 11");
}

TEST(nor_from_one_that_is_let_go_late)
{
	set_up_at_trap();
	hash_put(&tracer->leaving, CHILD, tracer);
	kernel.trap_behind = 1;
	dispatch(tracer, CHILD, ANSWER);
	is_asked("a trap behind the stop", "child CONT 0");
	kernel.trap_behind = 0;
	dispatch(tracer, CHILD, EVENT(PTRACE_EVENT_STOP, SIGSTOP));
	is_asked("no trap", "child CONT 0; child DETACH 0");
	dispatch(tracer, CHILD, ANSWER);
	is_asked("it is nobody's by then", "child CONT 0; child DETACH 0");
}

/* Held back, it would come after a SIGCONT of this moment, and the process stay stopped. */
TEST(who_is_to_stand_still_takes_a_stop_first)
{
	struct err err;

	set_up();
	kernel.coming[kernel.ncoming++] = STOPPED(SIGSTOP);
	kernel.coming[kernel.ncoming++] = EVENT(PTRACE_EVENT_STOP, SIGSTOP);
	thread_free(thread_find(tracer, LEADER));
	CHECK_EQ(proc_halt(proc, &err), 0);
	is_asked("it was told to stand still", "INTERRUPT; INTERRUPT; CONT 19");
	CHECK_EQ(thread->stop.kind, STOP_GROUP);
	proc_go(proc);
	is_asked("the world goes on", "INTERRUPT; INTERRUPT; CONT 19; LISTEN");
}

TEST(who_is_borrowed_takes_a_stop_first)
{
	set_up();
	kernel.coming[kernel.ncoming++] = STOPPED(SIGSTOP);
	kernel.coming[kernel.ncoming++] = ANSWER; /* a SIGCONT has come by then */
	CHECK(proc_borrow(proc) == thread);
	is_asked("a call is to be made", "INTERRUPT; INTERRUPT; CONT 19; INTERRUPT");
	proc_give_back(thread);
	is_asked("it has been", "INTERRUPT; INTERRUPT; CONT 19; INTERRUPT; CONT 0");
}

static bool is_below(taddr_t pc, void *arg)
{
	return pc < *(const taddr_t *)arg;
}

/* It was interrupted at an instruction that faults, in code that is to go. */
TEST(who_faults_as_it_is_moved_is_told_where_that_was)
{
	taddr_t end = 0x2000;
	int status;
	struct err err;

	set_up();
	thread_free(thread_find(tracer, LEADER));
	kernel.coming[kernel.ncoming++] = ANSWER;
	CHECK_EQ(proc_halt(proc, &err), 0);
	kernel.coming[kernel.ncoming++] = STOPPED(SIGSEGV);
	kernel.si.si_signo = SIGSEGV;
	kernel.si.si_code = SEGV_MAPERR;
	CHECK(!proc_move_out(proc, is_below, &end));
	CHECK(thread_has_fault(thread));
	thread_move_fault(thread, end, 0);
	CHECK(proc_move_out(proc, is_below, &end));
	proc_go(proc);
	is_asked("it has not gone on", "INTERRUPT; STEP 0");
	CHECK(tracer_take_backlog(tracer, THREAD, &status));
	dispatch(tracer, THREAD, status);
	is_asked("it has its signal", "INTERRUPT; STEP 0; CONT 11");
}

TEST(a_step_ends_with_the_thread)
{
	int status;

	set_up();
	thread_enter_stop(thread, ANSWER);
	kernel.coming[kernel.ncoming++] = SIGKILL;
	CHECK_EQ(remote_step(thread), -ESRCH);
	CHECK(tracer_in_backlog(tracer, THREAD, &status));
	CHECK_EQ(status, SIGKILL);
}

/* The first thread of a process ends, for another one's exec, when all others have been reaped. */
TEST(what_others_report_is_kept_while_the_first_thread_makes_a_step)
{
	struct thread *leader;
	int status;

	set_up();
	leader = thread_find(tracer, LEADER);
	thread_enter_stop(leader, ANSWER);
	kernel.other_first = true;
	kernel.coming[kernel.ncoming++] = SIGKILL;
	kernel.coming[kernel.ncoming++] = STOPPED(SIGTRAP);
	CHECK_EQ(remote_step(leader), 0);
	CHECK(tracer_in_backlog(tracer, THREAD, &status));
	CHECK_EQ(status, SIGKILL);
}

/* It goes by the same number, and its registers are its own. */
TEST(a_call_that_exec_ends_leaves_the_new_program_alone)
{
	const uint64_t args[6] = {0};
	struct thread *leader;
	int64_t result;
	int status;

	set_up();
	leader = thread_find(tracer, LEADER);
	proc->syscall_insn = 0x2000;
	thread_enter_stop(leader, ANSWER);
	kernel.other_first = true;
	kernel.coming[kernel.ncoming++] = SIGKILL;
	kernel.coming[kernel.ncoming++] = EVENT(PTRACE_EVENT_EXEC, SIGTRAP);
	CHECK_EQ(remote_syscall(leader, 39, args, &result), -ESRCH);
	CHECK_EQ(kernel.nset, 1);
	CHECK(tracer_in_backlog(tracer, LEADER, &status));
	CHECK_EQ(status, EVENT(PTRACE_EVENT_EXEC, SIGTRAP));
}

TEST_MAIN();
