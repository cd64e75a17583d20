#include "tracer/remote.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "tracer/preload.h"
#include "tracer/mem.h"
#include "tracer/x86/regs.h"
#include "tracer/procfs/seccomp.h"

#define SIGBIT(s) (1ULL << ((s)-1))

struct stepping {
	struct thread *t;
	struct stop stop;
	int sig; /* to go on with */
};

/*
 * Makes the thread run until it stops again. A stop signal is passed on at once: the kernel drops
 * it if a SIGCONT comes meanwhile; sent again later it would undo that, and the process stay
 * stopped.
 */
static int next_stop(struct stepping *s, int request)
{
	int status;

	if (ptrace(request, s->t->tid, 0, s->sig) < 0)
		return -ESRCH;
	s->sig = 0;
	if (!tracer_wait_for(s->t->proc->tracer, s->t->tid, s->t->tgid, &status))
		return -ESRCH;
	s->stop = stop_decode(status);
	/* exec by another thread: what is here by that number now is the new program */
	if (s->stop.kind != STOP_EXITED && s->stop.kind != STOP_EXEC)
		return 0;
	tracer_postpone(s->t->proc->tracer, s->t->tid, status);
	s->t->state = THREAD_RUNNING;
	return -ESRCH;
}

/* Something else than what was waited for came first: -EAGAIN to go on. */
static int pass_over(struct stepping *s)
{
	struct thread *t = s->t;

	switch (s->stop.kind) {
	case STOP_GROUP:
	case STOP_INTERRUPT:
		t->reinterrupt = true; /* a new interrupt brings the same report again */
		return -EAGAIN;
	case STOP_SIGNAL:
		if (s->stop.sig == SIGSEGV || s->stop.sig == SIGBUS || s->stop.sig == SIGILL ||
		    s->stop.sig == SIGFPE)
			return -EFAULT;
		s->sig = s->stop.sig; /* SIGSTOP, which no mask holds back */
		return -EAGAIN;
	default:
		return -EAGAIN;
	}
}

typedef int step_fn(struct stepping *);

static int step_once(struct stepping *s)
{
	int r;

	do {
		r = next_stop(s, PTRACE_SINGLESTEP);
		if (!r && s->stop.kind != STOP_TRAP)
			r = pass_over(s);
	} while (r == -EAGAIN);
	return r;
}

/* Before it runs any of the program's instructions. */
static int run_to_interrupt(struct stepping *s)
{
	int r;

	ptrace(PTRACE_INTERRUPT, s->t->tid, 0, 0);
	do {
		r = next_stop(s, PTRACE_CONT);
		if (!r && s->stop.kind == STOP_GROUP)
			s->t->reinterrupt = true;
		else if (!r && s->stop.kind != STOP_INTERRUPT)
			r = pass_over(s);
	} while (r == -EAGAIN);
	return r;
}

static bool is_entry(pid_t tid)
{
	struct __ptrace_syscall_info info = {0};

	return ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), &info) > 0 &&
	       info.op == PTRACE_SYSCALL_INFO_ENTRY;
}

/*
 * The system call at rip. Not by a step: if we die the kernel delivers the SIGTRAP of that, but
 * nothing of these stops. The second one is an answer to an interrupt because only there the kernel
 * looks, afterwards, whether the call that the thread was in before has to begin again.
 */
static int call_once(struct stepping *s)
{
	int r;

	do {
		r = next_stop(s, PTRACE_SYSCALL);
		if (!r && !(s->stop.kind == STOP_SYSCALL && is_entry(s->t->tid)))
			r = pass_over(s);
	} while (r == -EAGAIN);
	if (r)
		return r;
	return run_to_interrupt(s);
}

void remote_calm(struct thread *t)
{
	struct stepping s = {.t = t};

	if (t->stop.kind != STOP_TRAP || regs_flush(&t->regs) < 0 || run_to_interrupt(&s) < 0)
		return;
	t->stop = s.stop;
}

/* With signals held back, as its registers are ours. */
static int run_masked(struct thread *t, step_fn *step, uint64_t own, uint64_t mask)
{
	struct stepping s = {.t = t};
	int r;

	if (regs_flush(&t->regs) < 0 || ptrace(PTRACE_SETSIGMASK, t->tid, sizeof(mask), &mask) < 0)
		return -ESRCH;
	r = step(&s);
	regs_forget(&t->regs);
	if (r != -ESRCH)
		ptrace(PTRACE_SETSIGMASK, t->tid, sizeof(own), &own);
	return r;
}

/* Those that an instruction raises cannot be held back. */
#define FAULTS (SIGBIT(SIGSEGV) | SIGBIT(SIGBUS) | SIGBIT(SIGILL) | SIGBIT(SIGFPE))

int remote_step(struct thread *t)
{
	uint64_t own;

	if (ptrace(PTRACE_GETSIGMASK, t->tid, sizeof(own), &own) < 0)
		return -ESRCH;
	/* Forcing SIGTRAP on a thread that blocks it resets its handler. */
	return run_masked(t, step_once, own, ~(FAULTS | SIGBIT(SIGTRAP)));
}

static taddr_t find_in_vma(const struct proc *p, const struct vma *v)
{
	static const uint8_t insn[] = {0x0f, 0x05};
	uint8_t buf[PAGE + 1];

	for (taddr_t a = v->start; a < v->end; a += PAGE) {
		ssize_t n = mem_read(p, a, buf, MIN(sizeof(buf), v->end - a));
		const uint8_t *hit = n > 0 ? memmem(buf, (size_t)n, insn, sizeof(insn)) : NULL;

		if (hit)
			return a + (uint64_t)(hit - buf);
	}
	return 0;
}

/* Any `syscall` instruction will do; the vdso has one in nearly every process. */
static taddr_t find_syscall(struct proc *p)
{
	taddr_t a = 0;

	if (!p->maps.n && vmmap_read(&p->maps, proc_live_tid(p)) < 0)
		return 0; /* what is mapped before the program runs stays */
	for (size_t i = 0; !a && i < p->maps.n; i++)
		if (p->maps.v[i].vdso)
			a = find_in_vma(p, &p->maps.v[i]);
	for (size_t i = 0; !a && i < p->maps.n; i++)
		if (p->maps.v[i].exec && p->maps.v[i].read && p->maps.v[i].ino)
			a = find_in_vma(p, &p->maps.v[i]);
	return a;
}

/*
 * At a breakpoint or a signal it is a step: what is sent to the thread as it goes on is sent by
 * that stop. Where nobody has looked at it yet, in a process that was halted, it must be the same
 * still.
 */
static int step_at_signal(struct thread *t, uint64_t sigmask)
{
	siginfo_t si;
	int r;

	if (ptrace(PTRACE_GETSIGINFO, t->tid, 0, &si) < 0)
		return -ESRCH;
	r = run_masked(t, step_once, sigmask, ~(FAULTS | SIGBIT(SIGTRAP)));
	if (r != -ESRCH)
		ptrace(PTRACE_SETSIGINFO, t->tid, 0, &si);
	return r;
}

static int run_call(struct thread *t, const struct user_regs_struct *own)
{
	struct journal *j = t->proc->tracer->journal;
	struct journal_call call = {.tid = t->tid,
				    .pid = t->tgid,
				    .is_stopped = t->stop.kind == STOP_GROUP,
				    .regs = *own};
	int r;

	if (ptrace(PTRACE_GETSIGMASK, t->tid, sizeof(call.sigmask), &call.sigmask) < 0)
		return -ESRCH;
	journal_begin_call(j, &call);
	if (t->stop.kind == STOP_TRAP || t->stop.kind == STOP_SIGNAL)
		r = step_at_signal(t, call.sigmask);
	else
		r = run_masked(t, call_once, call.sigmask, ~FAULTS);
	return r;
}

/* A thread beside it may give it a filter although it is stopped. */
static bool is_filtered(struct thread *t)
{
	if (!t->is_unfiltered)
		t->is_unfiltered = !seccomp_is_filtered(t->tid) && t->proc->nthreads == 1;
	return !t->is_unfiltered;
}

int remote_syscall(struct thread *t, long nr, const uint64_t args[6], int64_t *result)
{
	struct proc *p = t->proc;
	struct user_regs_struct saved, *r = regs_all(&t->regs);
	bool filtered;
	int rc;

	if (p->preload)
		return preload_syscall(p, nr, args, result);
	if (!p->syscall_insn)
		p->syscall_insn = find_syscall(p);
	if (!p->syscall_insn)
		return -ENOSYS;
	if (!r)
		return -ESRCH;
	filtered = is_filtered(t);
	if (filtered && !seccomp_lift(t->tid, TRACE_OPTIONS))
		return -EPERM;
	saved = *r;
	r->rip = p->syscall_insn;
	r->cs = USER_CS; /* it may be in 32-bit code */
	r->rax = (uint64_t)nr;
	r->orig_rax = UINT64_MAX; /* no system call to restart */
	r->rdi = args[0];
	r->rsi = args[1];
	r->rdx = args[2];
	r->r10 = args[3];
	r->r8 = args[4];
	r->r9 = args[5];
	regs_touch(&t->regs);
	rc = run_call(t, &saved);
	if (!rc) {
		r = regs_all(&t->regs);
		if (r)
			*result = (int64_t)r->rax;
		else
			rc = -ESRCH;
	}
	if (rc == -ESRCH) {
		regs_forget(&t->regs);
	} else {
		t->regs.now.r = saved;
		t->regs.have = REGS_ALL;
		regs_touch(&t->regs);
		if (regs_flush(&t->regs) < 0 && !rc)
			rc = -ESRCH;
	}
	journal_end_call(p->tracer->journal);
	if (filtered)
		seccomp_lower(t->tid, TRACE_OPTIONS);
	return rc;
}
