/*
 * Letting go (docs/spec/pid-engine.md §5.3). The bytes are restored first, with threads running;
 * then every thread is brought to a stop, moved out of slots and past traps already on their way,
 * and detached.
 */
#include "tracer/tracer_priv.h"

#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tracer/preload.h"
#include "tracer/procfs/procfs.h"
#include "tracer/x86/regs.h"
#include "tracer/slot.h"

#define WAIT_NS	    1000000000ULL
#define CPU_WAIT_NS 10000000000ULL /* for those that need only a CPU to stop */

#define SIGNALS_AT_ONCE 8

static bool is_raised_by_code(const siginfo_t *si)
{
	if (si->si_signo == SIGTRAP)
		return si->si_code == SI_KERNEL;
	return signal_is_fault(si) || (si->si_signo == SIGSYS && si->si_code > 0);
}

/* Any number of signals that the thread blocks may wait before it. A fault: the code that it is
 * about may go before it is told of. */
bool stop_hides_trap(pid_t tid)
{
	struct __ptrace_peeksiginfo_args args = {.nr = SIGNALS_AT_ONCE};
	siginfo_t si[SIGNALS_AT_ONCE];
	long n;

	do {
		n = ptrace(PTRACE_PEEKSIGINFO, tid, &args, si);
		for (long i = 0; i < n; i++)
			if (is_raised_by_code(&si[i]))
				return true;
		args.off += SIGNALS_AT_ONCE;
	} while (n == SIGNALS_AT_ONCE);
	return false;
}

/* A breakpoint of ours, or one that is gone: a site that could not be kept is no site any more, but
 * may have been hit meanwhile. *pc: where the thread goes on. */
static bool is_our_trap(struct thread *t, taddr_t *pc)
{
	struct site *s;
	siginfo_t si;
	taddr_t rip;

	if (t->stop.kind != STOP_TRAP || ptrace(PTRACE_GETSIGINFO, t->tid, 0, &si) < 0 ||
	    trap_decode(si.si_code) != TRAP_KIND_INT3 || regs_rip(&t->regs, &rip) < 0)
		return false;
	*pc = rip - 1;
	return bkpt_is_site(t->proc, rip - 1, &s) || trap_is_phantom(t->proc->mem_fd, rip);
}

static void move_out_of_slot(struct thread *t)
{
	const struct site *s;
	unsigned off;
	taddr_t rip, at;
	bool undo;

	if (regs_rip(&t->regs, &at) < 0)
		return;
	s = slot_at(t->proc, at, &off);
	if (!s)
		return;
	rip = insn_slot_origin(&s->plan, off, &undo);
	if (undo && regs_all(&t->regs)) {
		t->regs.now.r.rsp += 8;
		regs_touch(&t->regs);
	}
	regs_set_rip(&t->regs, rip);
	codefault_show(t, at);
}

/* To its next stop. Any stop takes back the interrupt that was asked for, but one asked for in it
 * (ptrace_stop() of the kernel): it is asked again. */
static void run_on(struct thread *t, int sig)
{
	t->interrupts = 0;
	thread_resume(t, sig);
}

/*
 * At a signal. It is delivered now: no stop but this one can do that, and none makes a call from
 * it. But not that of a fault in code of the owner that is still there: a handler would come back
 * to it, into the middle of a jump maybe. The thread gets that when it is let go.
 */
static void settle_signal(struct thread *t)
{
	taddr_t was = 0, pc = 0;
	bool is_mended;

	regs_rip(&t->regs, &was);
	is_mended = codefault_mended(t, true);
	regs_rip(&t->regs, &pc);
	t->keeps_fault = !is_mended && pc != was;
	if (t->keeps_fault)
		return;
	move_out_of_slot(t);
	run_on(t, is_mended ? 0 : t->stop.sig);
}

/*
 * The thread has stopped: makes it ready to be detached, or lets it run on, at most to the entry of
 * a handler, to its next stop: a trap that waits behind this stop, or the interrupt that is asked
 * for.
 */
static void settle(struct thread *t)
{
	taddr_t pc;

	t->raise_sig = 0;
	switch (t->stop.kind) {
	case STOP_TRAP:
		if (is_our_trap(t, &pc)) {
			regs_set_rip(&t->regs, pc);
			break;
		}
		/* fall through */
	case STOP_SIGNAL:
		settle_signal(t);
		return;
	case STOP_INTERRUPT:
	case STOP_GROUP:
		if (stop_hides_trap(t->tid)) {
			run_on(t, 0);
			/* It stops by itself. On a busy machine one that is asked would be told of
			 * that first, again and again. */
			t->interrupts++;
			return;
		}
		if (t->stop.kind == STOP_INTERRUPT)
			restart_call(t);
		break;
	case STOP_CLONE:
	case STOP_FORK:
	case STOP_VFORK:
		follow_child(t, t->stop.kind);
		run_on(t, 0); /* within a system call, where it cannot make another for us */
		return;
	case STOP_SYSCALL:
	case STOP_VFORK_DONE:
		run_on(t, 0);
		return;
	default:
		break;
	}
	move_out_of_slot(t);
}

struct leaving {
	bool guests_only;
};

static bool concerns(const struct leaving *l, const struct thread *t)
{
	return t->guest || !l->guests_only;
}

/* Asks each thread once, and looks whether it has answered. True: all have. */
static bool round_of_stops(struct proc *p, const struct leaving *l)
{
	bool all = true;

	for (struct thread *t = p->threads, *next; t; t = next) {
		int status;

		next = t->next;
		if (!concerns(l, t) || t->state == THREAD_STOPPED)
			continue;
		if (!t->interrupts) {
			ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
			t->interrupts++;
		}
		if (waitpid(t->tid, &status, __WALL | WNOHANG) <= 0)
			continue;
		thread_enter_stop(t, status);
		if (t->stop.kind == STOP_EXITED)
			thread_free(t);
		else
			settle(t);
	}
	for (const struct thread *t = p->threads; t; t = t->next)
		all &= !concerns(l, t) || t->state == THREAD_STOPPED;
	return all;
}

static bool one_needs_a_cpu(const struct proc *p, const struct leaving *l)
{
	for (const struct thread *t = p->threads; t; t = t->next)
		if (concerns(l, t) && t->state != THREAD_STOPPED &&
		    !procfs_is_uninterruptible(t->tid))
			return true;
	return false;
}

static void wait_for_stops(struct proc *p, const struct leaving *l)
{
	struct timespec nap = {.tv_nsec = 50000};
	uint64_t start = now_mono(), waited = 0;

	while (!round_of_stops(p, l) &&
	       (waited < WAIT_NS || (waited < CPU_WAIT_NS && one_needs_a_cpu(p, l)))) {
		nanosleep(&nap, NULL);
		if (nap.tv_nsec < 1000000)
			nap.tv_nsec *= 2;
		waited = now_mono() - start;
	}
}

/* A thread that does not stop, as the parent of a vfork child: where will it come out? */
static bool returns_elsewhere(const struct proc *p, const struct thread *t)
{
	unsigned off;
	taddr_t pc, sp;

	return procfs_pc(t->tid, &pc, &sp) && !slot_at(p, pc, &off);
}

static bool slots_are_empty(const struct proc *p)
{
	for (const struct thread *t = p->threads; t; t = t->next)
		if (t->state != THREAD_STOPPED && !returns_elsewhere(p, t))
			return false;
	return true;
}

/*
 * Slots are taken away only when no thread can be in one: those in padding always, those of our
 * mappings where a thread can make the call (the parent of a vfork child cannot).
 */
static void take_slots_away(struct proc *p)
{
	slot_clear_padding(p);
	for (struct thread *t = p->threads; t; t = t->next)
		if (t->state == THREAD_STOPPED && !t->raise_sig &&
		    (t->stop.kind == STOP_TRAP || t->stop.kind == STOP_INTERRUPT ||
		     t->stop.kind == STOP_GROUP || t->keeps_fault)) {
			slot_unmap(t);
			return;
		}
}

static void let_go(struct thread *t)
{
	struct tracer *tr = t->proc->tracer;

	colocate_undo(t);
	if (t->state == THREAD_STOPPED) {
		regs_flush(&t->regs);
		ptrace(PTRACE_DETACH, t->tid, 0, t->keeps_fault ? t->stop.sig : t->raise_sig);
	} else { /* stuck in the kernel: when it comes out, dispatch detaches it */
		hash_put(&tr->leaving, (uint64_t)t->tid, tr);
	}
	thread_free(t);
}

/* The signal for one that stands at a trap: none where the breakpoint has been taken out. */
static int late_signal(pid_t tid)
{
	taddr_t rip = (taddr_t)ptrace(PTRACE_PEEKUSER, tid, offsetof(struct user, regs.rip), 0);
	int fd = procfs_open_memory(tid), sig = SIGTRAP;
	siginfo_t si;

	if (fd < 0)
		return sig;
	if (!ptrace(PTRACE_GETSIGINFO, tid, 0, &si) && trap_decode(si.si_code) == TRAP_KIND_INT3 &&
	    trap_is_phantom(fd, rip)) {
		ptrace(PTRACE_POKEUSER, tid, offsetof(struct user, regs.rip), rip - 1);
		sig = 0;
	}
	close(fd);
	return sig;
}

bool detach_late(pid_t tid, struct stop s)
{
	int sig = s.kind == STOP_SIGNAL ? s.sig : 0;

	if ((s.kind == STOP_INTERRUPT || s.kind == STOP_GROUP) && stop_hides_trap(tid)) {
		ptrace(PTRACE_CONT, tid, 0, 0);
		return false;
	}
	if (s.kind == STOP_TRAP)
		sig = late_signal(tid);
	ptrace(PTRACE_DETACH, tid, 0, sig);
	return true;
}

void detach_threads(struct proc *p, bool guests_only)
{
	struct leaving l = {.guests_only = guests_only};

	for (struct thread *t = p->threads; t; t = t->next) {
		t->interrupts = 0;
		for (size_t i = 0; i < p->tracer->nbacklog; i++)
			if (p->tracer->backlog[i].tid == t->tid && concerns(&l, t))
				thread_enter_stop(t, p->tracer->backlog[i].status);
		if (concerns(&l, t))
			tracer_forget_backlog(p->tracer, t->tid);
	}
	for (struct thread *t = p->threads, *next; t; t = next) {
		next = t->next;
		if (!concerns(&l, t) || t->state != THREAD_STOPPED)
			continue;
		if (t->hold || t->in_hit) /* its trap has been dealt with */
			move_out_of_slot(t);
		else
			settle(t);
	}
	for (struct thread *t = p->threads; t; t = t->next)
		if (concerns(&l, t) && t->state != THREAD_STOPPED)
			t->interrupts = 0; /* each is asked once more, whatever it was asked */
	wait_for_stops(p, &l);
	if (!guests_only && p->tracer->ops->leaving)
		p->tracer->ops->leaving(p->tracer->arg, p);
	if (!guests_only && slots_are_empty(p))
		take_slots_away(p);
	for (struct thread *t = p->threads, *next; t; t = next) {
		next = t->next;
		if (concerns(&l, t))
			let_go(t);
	}
}

void tracer_detach(struct proc *p)
{
	if (p->preload) {
		preload_go_on(p);
		proc_free(p);
		return;
	}
	bkpt_restore_all(p);
	semaphores_lower_all(p);
	detach_threads(p, false);
	proc_free(p);
}
