/*
 * sigtrap.c: what the program wants done at SIGTRAP. Where a breakpoint is hit by a thread that
 * blocks or ignores this signal (a handler of it does), the kernel forces the signal and forgets
 * the handler (force_sig_info_to_task of kernel/signal.c). It is put back before the thread goes
 * on.
 */
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "tracer/tracer_priv.h"
#include "tracer/mem.h"
#include "tracer/procfs/procfs.h"
#include "tracer/x86/regs.h"
#include "tracer/remote.h"

#define SCRATCH 1024 /* below a stack pointer: the red zone, and more */

/* Of the system call: struct sigaction of arch/x86/include/asm/signal.h. */
struct action {
	uint64_t handler, flags, restorer, mask;
};

/* False: it blocks fewer than that, and nothing is done. */
static bool block(pid_t tid, int sig, int least)
{
	const uint64_t own = 1ULL << (sig - 1);
	uint64_t mask;

	if (ptrace(PTRACE_GETSIGMASK, tid, sizeof(mask), &mask) < 0 ||
	    __builtin_popcountll(mask) < least)
		return false;
	if (!(mask & own)) {
		mask |= own;
		ptrace(PTRACE_SETSIGMASK, tid, sizeof(mask), &mask);
	}
	return true;
}

bool mask_repair(struct thread *t, int sig)
{
	return block(t->tid, sig, 32);
}

/* Asks for the action, or sets it. False: it cannot be. */
static bool call_sigaction(struct thread *t, struct action *a, bool sets)
{
	const struct user_regs_struct *r = regs_all(&t->regs);
	uint64_t args[6] = {SIGTRAP, 0, 0, sizeof(a->mask)};
	struct target *memory = &t->proc->target;
	int64_t result = -1;
	taddr_t at;

	if (!r)
		return false;
	at = (r->rsp - SCRATCH - sizeof(*a)) & ~7ULL;
	args[sets ? 1 : 2] = at;
	if (sets && target_write(memory, at, a, sizeof(*a)) != sizeof(*a))
		return false;
	if (remote_syscall(t, SYS_rt_sigaction, args, &result) || result)
		return false;
	return sets || target_read(memory, at, a, sizeof(*a)) == sizeof(*a);
}

static bool has_action(pid_t tid)
{
	return procfs_ignores(tid, SIGTRAP) || procfs_catches(tid, SIGTRAP);
}

void proc_learn_trap_action(struct proc *p)
{
	struct thread *t = has_action(p->pid) ? proc_borrow(p) : NULL;
	struct action a;

	if (!t)
		return;
	if (call_sigaction(t, &a, false))
		p->trap.handler = a.flags & SA_RESETHAND ? 0 : a.handler;
	proc_give_back(t);
}

void sigtrap_learn(struct thread *t)
{
	struct trap_action *trap = &t->proc->trap;
	struct action a;

	/* a call would make the kernel forget that it is ignored */
	if (trap->handler || trap->asker || t->guest || !procfs_catches(t->tid, SIGTRAP) ||
	    !call_sigaction(t, &a, false))
		return;
	trap->handler = a.flags & SA_RESETHAND ? 0 : a.handler;
}

static taddr_t return_address(struct proc *p, taddr_t sp)
{
	taddr_t back;

	return target_read(&p->target, sp, &back, sizeof(back)) == sizeof(back) ? back : 0;
}

void hit_trap_action(struct hit *h, taddr_t handler)
{
	struct trap_action *trap = &h->proc->trap;

	trap->asked = handler;
	trap->asker = h->tid;
	trap->sp = hit_regs(h)->r.rsp;
	trap->back = return_address(h->proc, trap->sp);
}

/*
 * Behind the call that has asked for it, it is so. False: the thread is still in there, or in a
 * function that this one has jumped to.
 */
static bool is_behind_call(struct thread *t)
{
	struct trap_action *trap = &t->proc->trap;
	const struct user_regs_struct *r;

	if (trap->asker != t->tid)
		return true;
	r = regs_all(&t->regs);
	if (!r || r->rsp < trap->sp ||
	    (r->rsp == trap->sp && return_address(t->proc, trap->sp) == trap->back))
		return false;
	trap->handler = trap->asked;
	trap->asker = 0;
	return true;
}

void sigtrap_repair(struct thread *t)
{
	const struct trap_action *trap = &t->proc->trap;
	struct action a;

	if ((!trap->handler && !trap->asker) || t->guest || !is_behind_call(t) || !trap->handler ||
	    has_action(t->tid))
		return;
	remote_calm(t); /* at a trap calls are made by steps, whose signals are forced, too */
	if (!call_sigaction(t, &a, false))
		return;
	a.handler = trap->handler;
	/* not ignored: then the kernel has forced it because the thread blocks it */
	if (call_sigaction(t, &a, true) && a.handler != (taddr_t)(uintptr_t)SIG_IGN)
		block(t->tid, SIGTRAP, 0);
}

void sigtrap_inherit(struct proc *child, const struct proc *parent)
{
	child->trap.handler = parent->trap.handler;
}

/* execve(2): what was handled is not any more, what was ignored still is. */
void sigtrap_begin(struct proc *p)
{
	p->trap = (struct trap_action){.handler = has_action(p->pid) ? (taddr_t)(uintptr_t)SIG_IGN
								     : 0};
}
