/*
 * codefault.c: a fault in code that the owner has put into the process. The program may have
 * brought it about, with an instruction of its own that was moved there, or not at all: it must see
 * what it would see without us. (In slots: dispatch.c.)
 */
#include <errno.h>
#include <sys/ptrace.h>

#include "tracer/tracer_priv.h"
#include "tracer/x86/regs.h"

bool codefault_is_possible(const struct thread *t, int sig)
{
	bool is_fault = sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE;

	return is_fault && t->proc->tracer->ops->faulted;
}

static void ask(struct thread *t, struct code_fault *f)
{
	struct tracer *tr = t->proc->tracer;

	t->in_hit = true;
	tr->in_hit++;
	tr->have_fpregs = false;
	tr->ops->faulted(tr->arg, f);
	tr->in_hit--;
	t->in_hit = false;
	hit_send_signals(t);
}

/* SIGILL and SIGFPE name the instruction. */
static void show(struct thread *t, siginfo_t *si, taddr_t was)
{
	if ((taddr_t)(uintptr_t)si->si_addr != was || t->regs.now.r.rip == was)
		return;
	si->si_addr = (void *)(uintptr_t)t->regs.now.r.rip;
	ptrace(PTRACE_SETSIGINFO, t->tid, 0, si);
}

bool codefault_mended(struct thread *t)
{
	const struct tracer *tr = t->proc->tracer;
	struct hit hit = {.proc = t->proc,
			  .thread = t,
			  .tid = t->tid,
			  .time_ns = now_mono(),
			  .cpu = t->colo.cpu >= 0 ? t->colo.cpu : 0};
	struct code_fault f = {.hit = &hit};
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
	regs_touch(&t->regs);
	if (!f.is_mended)
		show(t, &si, was);
	if (f.may_return)
		refire_remember(t, t->stop.sig);
	return f.is_mended;
}
