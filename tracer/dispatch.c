/* One stop after another: from the wait call to the resumed thread. */
#include "tracer/tracer_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "tracer/preload.h"
#include "tracer/mem.h"
#include "tracer/procfs/procfs.h"
#include "tracer/x86/regs.h"
#include "tracer/remote.h"
#include "tracer/slot.h"

#define EVENTS_AT_ONCE 64
#define FULL_LOOK      32 /* stops after which all that wait are taken */

void thread_enter_stop(struct thread *t, int status)
{
	t->state = THREAD_STOPPED;
	t->status = status;
	t->stop = stop_decode(status);
	t->is_unfiltered = false;
	regs_forget(&t->regs);
}

/* A thread that is gone gives ESRCH here and its exit status soon after (docs/spec/pid-engine.md
 * §2.3). */
void thread_resume(struct thread *t, int sig)
{
	if (t->proc->preload) {
		regs_forget(&t->regs);
		t->state = THREAD_RUNNING;
		preload_go_on(t->proc);
		return;
	}
	regs_flush(&t->regs);
	if (t->reinterrupt) {
		ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
		t->interrupts++;
		t->reinterrupt = false;
	}
	t->proc->page_addr = 1;
	t->is_unfiltered = false;
	t->state = THREAD_RUNNING;
	ptrace(t->proc->tracer->wants_calls || t->refires.n ? PTRACE_SYSCALL : PTRACE_CONT, t->tid,
	       0, sig);
}

void proc_gone(struct proc *p, int status)
{
	struct tracer *tr = p->tracer;

	follow_release_guests(p);
	if (tr->launching == p)
		tr->launch_status = status;
	else if (tr->ops->exited)
		tr->ops->exited(tr->arg, p, status);
	proc_free(p);
}

static void thread_gone(struct thread *t, int status)
{
	struct proc *p = t->proc;

	if (t->tid == p->pid) {
		proc_gone(p, status);
		return;
	}
	thread_free(t);
	if (!p->threads) /* its leader had ended before we attached, and is not ours */
		proc_gone(p, 0);
}

/* ---- signals ---- */

bool signal_is_fault(const siginfo_t *si)
{
	switch (si->si_signo) {
	case SIGSEGV:
	case SIGBUS:
	case SIGILL:
	case SIGFPE:
	case SIGTRAP:
		return si->si_code > 0;
	default:
		return false;
	}
}

bool signal_rename(siginfo_t *si, taddr_t was, taddr_t is)
{
	bool is_sent_back = si->si_signo == SIGSYS && si->si_code > 0;

	if (signal_is_fault(si) && (taddr_t)(uintptr_t)si->si_addr == was)
		si->si_addr = (void *)(uintptr_t)is;
	else if (is_sent_back && (taddr_t)(uintptr_t)si->si_call_addr == was)
		si->si_call_addr = (void *)(uintptr_t)is;
	else
		return false;
	return true;
}

/* Lets the slot's instruction happen before the handler runs. False: the thread has died. */
static bool finish_slot(struct thread *t, const struct site **s, unsigned *off)
{
	const struct insn_plan *pl = &(*s)->plan;

	for (int steps = 0; steps < 2; steps++) {
		bool through_memory = pl->op == EMUL_CALL_REG || pl->op == EMUL_CALL_MEM;
		taddr_t rip;
		int r;

		if (*off && !through_memory)
			break;
		r = remote_step(t);
		if (r == -ESRCH)
			return false;
		if (r || regs_rip(&t->regs, &rip) < 0)
			break; /* it faulted: it will again, at its own address */
		*s = slot_at(t->proc, rip, off);
		if (!*s)
			break;
	}
	return true;
}

static void move_to_origin(struct thread *t, const struct site *s, unsigned off)
{
	bool undo;
	taddr_t pc = insn_slot_origin(&s->plan, off, &undo);

	if (undo && regs_all(&t->regs)) {
		t->regs.now.r.rsp += 8;
		regs_touch(&t->regs);
	}
	regs_set_rip(&t->regs, pc);
	if (pc == s->pc)
		refire_remember(t, t->stop.sig);
}

/*
 * No handler runs, but the process may stop. Such a signal must be passed on as it came: had it
 * been held back for a step, a SIGCONT of that moment would come before it and be lost.
 */
static bool only_stops(const struct thread *t)
{
	uint64_t caught;

	switch (t->stop.sig) {
	case SIGSTOP:
		return true;
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
		return procfs_status(t->tid, "SigCgt", 16, &caught) &&
		       !(caught >> (t->stop.sig - 1) & 1);
	default:
		return false;
	}
}

/*
 * A signal handler, and an unwinder that starts in one, must never see a slot. Returns false when
 * the thread has died.
 */
static bool leave_slot(struct thread *t)
{
	const struct site *s;
	siginfo_t si;
	unsigned off;
	taddr_t rip;

	if (!t->proc->slots.n)
		return true;
	if (regs_rip(&t->regs, &rip) < 0)
		return false;
	s = slot_at(t->proc, rip, &off);
	if (!s || only_stops(t))
		return true;
	if (ptrace(PTRACE_GETSIGINFO, t->tid, 0, &si) < 0)
		return false;
	/* a step of ours would be missing from the program's own */
	if (!signal_is_fault(&si) && !s->plan.restarts && !steps_itself(t) &&
	    !finish_slot(t, &s, &off))
		return false;
	if (s)
		move_to_origin(t, s, off);
	/* also because a step in between left its own siginfo */
	if (s)
		signal_rename(&si, rip, t->regs.now.r.rip);
	ptrace(PTRACE_SETSIGINFO, t->tid, 0, &si);
	return true;
}

static void on_signal(struct thread *t)
{
	if (clockfault_mended(t) || codefault_mended(t, false)) {
		if (!t->hold)
			thread_resume(t, 0);
		return;
	}
	if (!leave_slot(t))
		return;
	restart_call(t);
	thread_resume(t, t->stop.sig);
}

bool pass_stop_signal(struct thread *t)
{
	if (t->stop.kind != STOP_SIGNAL || !only_stops(t))
		return false;
	tracer_forget_backlog(t->proc->tracer, t->tid);
	t->reinterrupt = true;
	on_signal(t);
	return true;
}

/* ---- breakpoints ---- */

#define INT3	 0xcc
#define INT_N	 0xcd /* and the byte 3 behind it: the long form */
#define INT_SIZE 2

bool trap_is_phantom(int mem_fd, taddr_t rip)
{
	uint8_t code[INT_SIZE]; /* that ends at rip */

	if (mem_read_fd(mem_fd, rip - INT_SIZE, code, INT_SIZE) != INT_SIZE)
		return false;
	return code[1] != INT3 && !(code[0] == INT_N && code[1] == 3);
}

static void on_trap(struct thread *t)
{
	struct tracer *tr = t->proc->tracer;
	uint64_t now = now_mono();
	struct site *s;
	siginfo_t si;
	taddr_t rip;
	int sig;

	/* Gone, or already at the event of an exec by another thread, which has a status of its
	 * own. */
	if (ptrace(PTRACE_GETSIGINFO, t->tid, 0, &si) < 0 || si.si_code > 0xff)
		return;
	if (trap_decode(si.si_code) == TRAP_KIND_STEP && step_is_ours(t)) {
		if (!t->hold)
			thread_resume(t, 0);
		return;
	}
	if (trap_decode(si.si_code) != TRAP_KIND_INT3) {
		if (trap_decode(si.si_code) == TRAP_KIND_STEP)
			sigtrap_learn(t);
		on_signal(t);
		return;
	}
	if (tr->want_regs)
		regs_all(&t->regs);
	if (regs_rip(&t->regs, &rip) < 0)
		return;
	if (!bkpt_is_site(t->proc, rip - 1, &s)) {
		if (trap_is_phantom(t->proc->mem_fd, rip)) {
			regs_set_rip(&t->regs, rip - 1);
			thread_resume(t, 0);
		} else {
			sigtrap_learn(t);
			on_signal(t); /* the program's own int3 */
		}
		return;
	}
	sig = bkpt_hit(t, s, now);
	if (t->hold)
		return;
	if (tr->colocate)
		colocate_hit(t, now);
	thread_resume(t, sig);
}

/* ---- the table of stops ---- */

static void late_born(struct thread *t)
{
	const struct tracer *tr = t->proc->tracer;

	t->is_late = false;
	if (tr->ops->born)
		tr->ops->born(tr->arg, t->proc, t, tcb_of(t->tid));
}

static void on_interrupt(struct thread *t)
{
	if (t->interrupts)
		t->interrupts--;
	if (t->proc->stage == STAGE_EXECED && !t->guest)
		rtld_started(t);
	if (t->is_late)
		late_born(t);
	if (t->hold)
		return;
	restart_call(t);
	thread_resume(t, 0);
}

static void on_group_stop(struct thread *t)
{
	if (t->interrupts)
		t->interrupts--;
	t->state = THREAD_LISTENING;
	if (ptrace(PTRACE_LISTEN, t->tid, 0, 0) == 0)
		return;
	/* It was borrowed, and stands at another stop now: this one is reported again. */
	t->reinterrupt = true;
	thread_resume(t, 0);
}

static void dispatch_unknown(struct tracer *tr, pid_t tid, int status)
{
	struct stop s = stop_decode(status);

	if (s.kind == STOP_EXITED) {
		hash_del(&tr->unclaimed, (uint64_t)tid);
		hash_del(&tr->leaving, (uint64_t)tid);
	} else if (hash_get(&tr->leaving, (uint64_t)tid)) {
		if (detach_late(tid, s))
			hash_del(&tr->leaving, (uint64_t)tid);
	} else {
		/* A new child's first stop may overtake its parent's event (docs/spec/pid-engine.md
		 * §2.1). */
		hash_put(&tr->unclaimed, (uint64_t)tid, (void *)(uintptr_t)status);
	}
}

void dispatch(struct tracer *tr, pid_t tid, int status)
{
	struct thread *t = thread_find(tr, tid);

	if (!t) {
		dispatch_unknown(tr, tid, status);
		return;
	}
	thread_enter_stop(t, status);
	tr->stats.stops++;
	switch (t->stop.kind) {
	case STOP_EXITED:
		thread_gone(t, status);
		break;
	case STOP_TRAP:
		on_trap(t);
		break;
	case STOP_SIGNAL:
		on_signal(t);
		break;
	case STOP_GROUP:
		on_group_stop(t);
		break;
	case STOP_INTERRUPT:
		on_interrupt(t);
		break;
	case STOP_CLONE:
	case STOP_FORK:
	case STOP_VFORK:
		follow_child(t, t->stop.kind);
		thread_resume(t, 0);
		break;
	case STOP_SYSCALL:
		on_call(t);
		break;
	case STOP_EXEC:
		follow_exec(t);
		break;
	case STOP_VFORK_DONE:
	case STOP_OTHER:
		thread_resume(t, 0);
		break;
	}
}

/* ---- waiting ---- */

void tracer_postpone(struct tracer *tr, pid_t tid, int status)
{
	if (tr->nbacklog == tr->backlog_room) {
		tr->backlog_room = tr->backlog_room ? tr->backlog_room * 2 : 16;
		tr->backlog = xrealloc(tr->backlog, tr->backlog_room * sizeof(*tr->backlog));
	}
	tr->backlog[tr->nbacklog++] = (struct backlog){.tid = tid, .status = status};
}

void tracer_forget_backlog(struct tracer *tr, pid_t tid)
{
	size_t n = 0;

	for (size_t i = 0; i < tr->nbacklog; i++)
		if (tr->backlog[i].tid != tid)
			tr->backlog[n++] = tr->backlog[i];
	tr->nbacklog = n;
}

bool tracer_in_backlog(const struct tracer *tr, pid_t tid, int *status)
{
	for (size_t i = 0; i < tr->nbacklog; i++)
		if (tr->backlog[i].tid == tid) {
			*status = tr->backlog[i].status;
			return true;
		}
	return false;
}

bool tracer_take_backlog(struct tracer *tr, pid_t tid, int *status)
{
	if (!tracer_in_backlog(tr, tid, status))
		return false;
	tracer_forget_backlog(tr, tid);
	return true;
}

/*
 * The kernel looks for stops in the order of its list: a few threads that are hit again at once
 * would be found for ever, and the others starve. So now and then all that have stopped are taken
 * before one of them is let go.
 */
void tracer_look_at_all(struct tracer *tr)
{
	int status;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
		tracer_postpone(tr, tid, status);
}

bool tracer_wait_for(struct tracer *tr, pid_t tid, pid_t leader, int *status)
{
	pid_t r;

	while ((r = waitpid(tid == leader ? -1 : tid, status, __WALL)) != tid)
		if (r > 0)
			tracer_postpone(tr, r, *status);
		else if (errno != EINTR)
			return false;
	return true;
}

bool tracer_next(struct tracer *tr, pid_t *tid, int *status)
{
	if (!tr->nbacklog && ++tr->nwaits % FULL_LOOK == 0)
		tracer_look_at_all(tr);
	if (tr->nbacklog) {
		*tid = tr->backlog[0].tid;
		*status = tr->backlog[0].status;
		tr->nbacklog--;
		memmove(tr->backlog, tr->backlog + 1, tr->nbacklog * sizeof(*tr->backlog));
		return true;
	}
	if (wait_many_active(tr))
		return wait_many_next(tr, tid, status);
	*tid = waitpid(-1, status, __WALL);
	return *tid > 0;
}

/* Handled without the owner. */
static bool is_ours_alone(struct tracer *tr, pid_t tid, int status)
{
	const struct thread *t = thread_find(tr, tid);

	if (t && (t->proc->stage != STAGE_LIVE || t->proc->is_halted))
		return false;
	switch (stop_decode(status).kind) {
	case STOP_SIGNAL:
		return !t || !codefault_is_possible(t, stop_decode(status).sig);
	case STOP_GROUP:
	case STOP_INTERRUPT:
	case STOP_CLONE:
	case STOP_VFORK:
	case STOP_VFORK_DONE:
		return true;
	case STOP_FORK:
		return t && !(tr->ops->follows && tr->ops->follows(tr->arg, t->proc));
	default:
		return false;
	}
}

void tracer_serve(struct tracer *tr)
{
	int status;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
		if (is_ours_alone(tr, tid, status))
			dispatch(tr, tid, status);
		else
			tracer_postpone(tr, tid, status);
}

int tracer_wait(struct tracer *tr, uint64_t deadline)
{
	int n, status;
	pid_t tid;

	if (tr->ncolocated)
		colocate_cool(tr);
	/* nothing taken is left behind: a thread whose stop waits here looks as if it ran */
	for (n = 0; n < EVENTS_AT_ONCE || tr->nbacklog; n++) {
		if (deadline != UINT64_MAX && !tr->nbacklog && now_mono() >= deadline)
			break;
		if (!tracer_next(tr, &tid, &status))
			break;
		dispatch(tr, tid, status);
		if (tr->is_held)
			break;
	}
	tr->is_held = false;
	return n;
}

void tracer_poll(struct tracer *tr)
{
	int status;
	pid_t tid;

	tracer_look_at_all(tr);
	while (tr->nbacklog && !tr->is_held && tracer_next(tr, &tid, &status))
		dispatch(tr, tid, status);
	tr->is_held = false;
}
