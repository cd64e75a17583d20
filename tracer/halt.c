/*
 * The world stands still (docs/spec/fpid-engine.md §1.5): every thread is interrupted and waited
 * for, and those it has made meanwhile, until none is left. What a thread had to tell when it
 * stopped is kept and dealt with when the world goes on.
 */
#include "tracer/tracer_priv.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "tracer/preload.h"
#include "tracer/procfs/procfs.h"
#include "tracer/x86/regs.h"

#define WAIT_NS	   10000000000ULL /* what is not deep only waits for a CPU */
#define DEEP_NS	   2000000ULL	  /* then a thread that sleeps in the kernel is not waited for */
#define NAP_NS	   20000
#define NAP_MAX_NS 500000

/* ---- stopping ---- */

static void keep_for_later(struct thread *t, int status)
{
	int known;

	if (!tracer_in_backlog(t->proc->tracer, t->tid, &known))
		tracer_postpone(t->proc->tracer, t->tid, status);
}

/* A stop of a thread that is to stand still. */
static int on_stop(struct thread *t, int status)
{
	struct proc *p = t->proc;

	switch (stop_decode(status).kind) {
	case STOP_EXITED:
		if (t->tid != p->pid && p->nthreads > 1) {
			thread_free(t);
			return 0;
		}
		keep_for_later(t, status);
		return -ESRCH;
	case STOP_EXEC:
		if (t->guest) { /* it leaves the memory that is to stand still */
			tracer_forget_backlog(p->tracer, t->tid);
			thread_enter_stop(t, status);
			follow_exec(t);
			return 0;
		}
		keep_for_later(t, status);
		return -ESRCH;
	case STOP_CLONE:
	case STOP_FORK:
	case STOP_VFORK:
		tracer_forget_backlog(p->tracer, t->tid);
		thread_enter_stop(t, status);
		t->halted = true;
		follow_child(t, t->stop.kind);
		t->stop.kind = STOP_OTHER; /* dealt with */
		return 0;
	case STOP_INTERRUPT:
	case STOP_GROUP:
		tracer_forget_backlog(p->tracer, t->tid);
		break;
	case STOP_SIGNAL:
		thread_enter_stop(t, status);
		if (pass_stop_signal(t))
			return 0;
		keep_for_later(t, status);
		break;
	default:
		keep_for_later(t, status);
		break;
	}
	thread_enter_stop(t, status);
	t->halted = true;
	return 0;
}

static bool is_standing(const struct thread *t)
{
	return t->state == THREAD_STOPPED;
}

static int collect(struct thread *t)
{
	int status;
	pid_t r;

	if (!tracer_in_backlog(t->proc->tracer, t->tid, &status)) {
		r = waitpid(t->tid, &status, __WALL | WNOHANG);
		if (r <= 0)
			return r == 0 || errno == EINTR ? 0 : -ESRCH;
	}
	return on_stop(t, status);
}

static unsigned count_running(const struct proc *p)
{
	unsigned n = 0;

	for (const struct thread *t = p->threads; t; t = t->next)
		n += !is_standing(t);
	return n;
}

/* Each is asked for in /proc, which takes longer than to stop it. */
static bool all_are_deep(const struct proc *p)
{
	for (const struct thread *t = p->threads; t; t = t->next)
		if (!is_standing(t) && !procfs_is_uninterruptible(t->tid))
			return false;
	return true;
}

static void ask_all(struct proc *p)
{
	for (struct thread *t = p->threads; t; t = t->next)
		if (!is_standing(t)) {
			ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
			t->interrupts++;
		}
}

static int collect_all(struct proc *p, struct err *err)
{
	for (struct thread *t = p->threads, *next; t; t = next) {
		const unsigned nthreads = p->nthreads;

		next = t->next;
		if (!is_standing(t) && collect(t) < 0)
			return err_set(err, -ESRCH, "process %d ends", p->pid);
		if (p->nthreads < nthreads)
			break; /* next may be gone as well */
	}
	return 0;
}

static int wait_for_all(struct proc *p, struct err *err)
{
	struct timespec nap = {.tv_nsec = NAP_NS};
	uint64_t start = now_mono(), waited = 0;
	unsigned nrunning;

	while ((nrunning = count_running(p)) && waited < WAIT_NS) {
		int r = collect_all(p, err);

		if (r < 0)
			return r;
		waited = now_mono() - start;
		if (count_running(p) != nrunning)
			continue;
		if (waited >= DEEP_NS && all_are_deep(p))
			break;
		nanosleep(&nap, NULL);
		nap.tv_nsec = MIN(2 * nap.tv_nsec, NAP_MAX_NS);
	}
	return waited < WAIT_NS
		       ? 0
		       : err_set(err, -EBUSY, "a thread of process %d does not stop", p->pid);
}

int proc_halt(struct proc *p, struct err *err)
{
	unsigned known;
	int r;

	if (p->preload)
		return proc_is_still(p) ? 0 : preload_refuses(p, err);
	p->is_halted = true;
	do {
		ask_all(p);
		r = wait_for_all(p, err);
		known = p->nthreads;
		if (!r && p->is_fresh)
			r = attach_again(p, err);
	} while (!r && p->nthreads > known);
	if (r)
		proc_go(p);
	for (struct thread *t = p->threads; t && !r; t = t->next)
		t->is_late = !t->guest && !is_standing(t);
	return r;
}

static void let_run(struct thread *t)
{
	t->halted = false;
	switch (t->stop.kind) {
	case STOP_INTERRUPT:
		t->interrupts = 0;
		restart_call(t);
		thread_resume(t, 0);
		break;
	case STOP_GROUP:
		t->interrupts = 0;
		t->state = THREAD_LISTENING;
		if (ptrace(PTRACE_LISTEN, t->tid, 0, 0) == 0)
			break;
		t->reinterrupt = true; /* it has been made to run: reported again */
		thread_resume(t, 0);
		break;
	case STOP_OTHER:
		thread_resume(t, 0);
		break;
	default: /* its status waits for dispatch */
		regs_flush(&t->regs);
		t->state = THREAD_RUNNING;
		break;
	}
}

/* It was at work: it has not been called out of a system call. */
static bool was_busy(struct thread *t)
{
	const struct user_regs_struct *r = regs_all(&t->regs);

	return r && (int64_t)r->orig_rax < 0;
}

static void let_all_run(struct proc *p, bool busy_ones_only)
{
	for (struct thread *t = p->threads; t; t = t->next)
		if (t->halted && (!busy_ones_only || was_busy(t)))
			let_run(t);
}

/* Those at work do not wait until each that sleeps has been looked at. */
void proc_go(struct proc *p)
{
	p->is_halted = false;
	let_all_run(p, true);
	let_all_run(p, false);
}

bool proc_is_still(const struct proc *p)
{
	for (const struct thread *t = p->threads; t; t = t->next)
		if (t->state != THREAD_STOPPED || t->guest)
			return false;
	return p->threads && (!p->preload || preload_is_held(p));
}
