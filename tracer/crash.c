/*
 * The engine has failed (a fault, an abort, a signal that ends it): what it can still do for its
 * targets, from the signal handler. System calls only: nothing is allocated or freed, and of our
 * own structures only the tables are read. A thread that stands at a breakpoint would die of its
 * SIGTRAP when the kernel releases it; here it is sent back to the instruction.
 */
#include "tracer/tracer_priv.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/mem.h"
#include "tracer/slot.h"

#define INT3	  0xcc
#define RIP	  offsetof(struct user, regs.rip)
#define LOOKS_MAX 2000 /* looks, a millisecond apart; a thread deep in the kernel does not stop */

/* The signal a stopped thread is to get. */
static int signal_of(const struct proc *p, pid_t tid)
{
	taddr_t rip = (taddr_t)ptrace(PTRACE_PEEKUSER, tid, RIP, 0);
	struct site *s;
	siginfo_t si;
	unsigned off;
	uint8_t byte;

	if (ptrace(PTRACE_GETSIGINFO, tid, 0, &si) < 0 || si.si_code > 0xff)
		return 0; /* no stop of a signal */
	if (si.si_signo != SIGTRAP || trap_decode(si.si_code) != TRAP_KIND_INT3)
		return si.si_signo;
	if (bkpt_is_site(p, rip - 1, &s))
		return ptrace(PTRACE_POKEUSER, tid, RIP, s->pc) < 0 ? SIGTRAP : 0;
	/* ours, and the thread has been moved on, or the program's own */
	if (slot_at(p, rip, &off))
		return 0;
	return mem_read_fd(p->mem_fd, rip - 1, &byte, 1) == 1 && byte == INT3 ? SIGTRAP : 0;
}

/* It was making a system call for us. */
static void give_back_call(const struct journal *j, pid_t tid)
{
	const struct journal_call *call = journal_call(j);

	if (!call || call->tid != tid)
		return;
	ptrace(PTRACE_SETREGS, tid, 0, &call->regs);
	ptrace(PTRACE_SETSIGMASK, tid, sizeof(call->sigmask), &call->sigmask);
}

/* A thread that has stopped for us; an int3 may wait behind the stop. False: it is not let go yet.
 */
static bool let_go(const struct proc *p, const struct thread *t)
{
	errno = 0;
	if (ptrace(PTRACE_PEEKUSER, t->tid, RIP, 0) == -1 && errno)
		return errno == ESRCH && kill(t->tid, 0) < 0;
	if (stop_hides_trap(t->tid)) {
		ptrace(PTRACE_CONT, t->tid, 0, 0);
		return false;
	}
	give_back_call(p->tracer->journal, t->tid);
	ptrace(PTRACE_DETACH, t->tid, 0, signal_of(p, t->tid));
	return true;
}

/* What has been let go is marked by the number 0. */
static bool let_all_go(const struct tracer *tr)
{
	bool all = true;

	for (const struct proc *p = tr->procs; p; p = p->next)
		for (struct thread *t = p->threads; t; t = t->next) {
			if (!t->tid)
				continue;
			if (let_go(p, t)) {
				t->tid = 0;
				continue;
			}
			if (!t->interrupts) /* a second one would come before the trap again */
				ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
			t->interrupts++;
			all = false;
		}
	return all;
}

void tracer_crashed(const struct tracer *tr)
{
	int status;

	journal_restore(tr->journal, true);
	journal_restore_masks(tr->journal);
	for (unsigned looks = 0; !let_all_go(tr) && looks < LOOKS_MAX; looks++) {
		usleep(1000);
		while (waitpid(-1, &status, __WALL | WNOHANG) > 0)
			;
	}
}
