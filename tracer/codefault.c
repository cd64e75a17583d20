/*
 * codefault.c: a fault in code that the owner has put into the process. The program may have
 * brought it about, with an instruction of its own that was moved there, or not at all: it must see
 * what it would see without us. (In slots: dispatch.c.)
 */
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <x86intrin.h>

#include "tracer/tracer_priv.h"
#include "tracer/mem.h"
#include "tracer/x86/regs.h"

bool codefault_is_possible(const struct thread *t, int sig)
{
	bool is_fault = sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE;

	return is_fault && t->proc->tracer->ops->faulted;
}

static void ask(struct thread *t, struct code_fault *f)
{
	struct tracer *tr = t->proc->tracer;
	struct hit hit = {.proc = t->proc,
			  .thread = t,
			  .tid = t->tid,
			  .time_ns = now_mono(),
			  .cpu = t->colo.cpu >= 0 ? t->colo.cpu : 0};

	f->hit = &hit;
	t->in_hit = true;
	tr->in_hit++;
	tr->have_fpregs = false;
	tr->ops->faulted(tr->arg, f);
	tr->in_hit--;
	t->in_hit = false;
	hit_send_signals(t);
	regs_touch(&t->regs);
}

void codefault_show(struct thread *t, taddr_t was)
{
	siginfo_t si;
	taddr_t rip;

	if (ptrace(PTRACE_GETSIGINFO, t->tid, 0, &si) < 0 || regs_rip(&t->regs, &rip) < 0 ||
	    rip == was || !signal_rename(&si, was, rip))
		return;
	ptrace(PTRACE_SETSIGINFO, t->tid, 0, &si);
}

bool codefault_mended(struct thread *t, bool is_leaving)
{
	const struct tracer *tr = t->proc->tracer;
	struct code_fault f = {.is_leaving = is_leaving};
	siginfo_t si;
	taddr_t was;

	if (!codefault_is_possible(t, t->stop.sig) || regs_rip(&t->regs, &was) < 0 ||
	    !tr->ops->has_code(tr->arg, t->proc, was))
		return false;
	f.regs = ptrace(PTRACE_GETSIGINFO, t->tid, 0, &si) == 0 && signal_is_fault(&si)
			 ? regs_all(&t->regs)
			 : NULL;
	if (!f.regs)
		return false;
	ask(t, &f);
	if (f.is_mended)
		mask_repair(t, t->stop.sig);
	else
		codefault_show(t, was);
	if (f.may_return)
		refire_remember(t, t->stop.sig);
	return f.is_mended;
}

bool codefault_stepped(struct thread *t, taddr_t at)
{
	struct code_fault f = {.is_step = true, .at = at};
	taddr_t was;

	if (!t->proc->tracer->ops->faulted)
		return false;
	f.regs = regs_all(&t->regs);
	if (!f.regs)
		return false;
	was = f.regs->rip;
	ask(t, &f);
	if (!f.is_mended)
		codefault_show(t, was);
	return f.is_mended;
}

/* ---- while it stands still ---- */

bool thread_has_fault(const struct thread *t)
{
	siginfo_t si;

	return t->state == THREAD_STOPPED && t->stop.kind == STOP_SIGNAL &&
	       ptrace(PTRACE_GETSIGINFO, t->tid, 0, &si) == 0 && signal_is_fault(&si);
}

void thread_move_fault(struct thread *t, taddr_t pc, unsigned undo)
{
	struct user_regs_struct *r = regs_all(&t->regs);
	taddr_t was;

	if (!r)
		return;
	was = r->rip;
	r->rip = pc;
	r->rsp += undo;
	regs_touch(&t->regs);
	codefault_show(t, was);
	regs_flush(&t->regs);
}

void thread_drop_fault(struct thread *t, taddr_t pc, unsigned undo, bool has_rax)
{
	struct user_regs_struct *r = regs_all(&t->regs);
	uint64_t rax;

	if (!r)
		return;
	if (has_rax && mem_read(t->proc, r->rsp, &rax, sizeof(rax)) == sizeof(rax))
		r->rax = rax;
	r->rip = pc;
	r->rsp += undo;
	regs_touch(&t->regs);
	regs_flush(&t->regs);
	mask_repair(t, t->stop.sig);
	tracer_forget_backlog(t->proc->tracer, t->tid);
	t->stop.kind = STOP_INTERRUPT;
	t->keeps_fault = false;
}

/* ---- the clock ---- */

/*
 * A program may have put the time stamp counter out of its reach (PR_SET_TSC of prctl(2), strict
 * mode of seccomp(2)). Code of ours that runs in it reads the counter all the same: the fault is
 * not the program's, and it gets the number from us.
 */
static const uint8_t rdtsc[] = {0x0f, 0x31};

/* A general protection fault has no address (arch/x86/kernel/traps.c). */
static bool is_general_protection(const struct thread *t)
{
	siginfo_t si;

	return t->stop.sig == SIGSEGV && ptrace(PTRACE_GETSIGINFO, t->tid, 0, &si) == 0 &&
	       si.si_code == SI_KERNEL;
}

bool clockfault_mended(struct thread *t)
{
	struct tracer *tr = t->proc->tracer;
	struct user_regs_struct *r;
	uint8_t code[sizeof(rdtsc)];
	uint64_t now;

	if (!tr->ops->has_code || !is_general_protection(t))
		return false;
	r = regs_all(&t->regs);
	if (!r || !tr->ops->has_code(tr->arg, t->proc, r->rip) ||
	    mem_read(t->proc, r->rip, code, sizeof(code)) != sizeof(code) ||
	    memcmp(code, rdtsc, sizeof(rdtsc)) != 0)
		return false;
	now = __rdtsc();
	r->rax = (uint32_t)now;
	r->rdx = now >> 32;
	r->rip += sizeof(rdtsc);
	regs_touch(&t->regs);
	return true;
}
