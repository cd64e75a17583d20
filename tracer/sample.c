/* Registers of threads that are on a CPU: the sampler of profile-N. */
#include "inside.h"

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "procfs.h"
#include "regs.h"
#include "slot.h"

#define NAP_NS	    20000
#define NAP_MAX_NS  500000
#define PATIENCE_NS 100000000U

typedef void sample_fn(struct thread *, const struct regs *, void *);

static void give(struct thread *t, sample_fn *fn, void *arg)
{
	struct regs r;
	const struct site *s;
	unsigned off;
	bool undo;

	if (!regs_all(t))
		return;
	r = t->regs;
	s = slot_at(t->proc, r.r.rip, &off);
	if (s)
		r.r.rip = insn_slot_origin(&s->plan, off, &undo);
	fn(t, &r, arg);
}

/*
 * One that has meanwhile gone to sleep where no stop reaches it is not waited for: in vfork() it
 * waits for its child, which may itself wait for us. Nor is one whose end is not told before others
 * have ended.
 */
static bool wait_for_stop(pid_t tid, int *status)
{
	struct timespec nap = {.tv_nsec = NAP_NS};
	uint64_t start = now_mono();
	pid_t r;

	while ((r = waitpid(tid, status, __WALL | WNOHANG)) == 0) {
		if (strchr("DZX", procfs_state(tid, NULL)) || now_mono() - start > PATIENCE_NS)
			return false;
		nanosleep(&nap, NULL);
		nap.tv_nsec = MIN(2 * nap.tv_nsec, NAP_MAX_NS);
	}
	return r > 0;
}

/* A hit is no sample: it stands behind its breakpoint, whose instruction has not been executed; nor
 * is one whose trap waits behind this stop. */
static bool is_sample(const struct thread *t, int status)
{
	enum stop_kind kind = stop_decode(status).kind;

	return (kind == STOP_INTERRUPT || kind == STOP_SIGNAL) && !stop_hides_trap(t->tid);
}

/*
 * Whatever stop comes first serves: a hit or a signal is then handled in its turn, and the
 * interrupt's own stop arrives later. Handled by dispatch, like any other.
 */
static void sample(struct thread *t, sample_fn *fn, void *arg)
{
	struct tracer *tr = t->proc->tracer;
	int status;

	if (ptrace(PTRACE_INTERRUPT, t->tid, 0, 0) < 0)
		return;
	t->interrupts++;
	if (!wait_for_stop(t->tid, &status))
		return;
	if (is_sample(t, status)) {
		thread_enter_stop(t, status);
		give(t, fn, arg);
		t->state = THREAD_RUNNING;
	}
	tracer_postpone(tr, t->tid, status);
}

void proc_sample(struct proc *p, sample_fn *fn, void *arg)
{
	for (struct thread *t = p->threads, *next; t; t = next) {
		next = t->next;
		if (t->state == THREAD_RUNNING && procfs_state(t->tid, NULL) == 'R')
			sample(t, fn, arg);
	}
}
