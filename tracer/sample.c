/*
 * Registers of threads that are on a CPU: the sampler of profile-N, where perf is forbidden.
 *
 * A thread that is interrupted from another CPU goes on until that CPU is told (some microseconds,
 * in virtual machines tens), or until its next system call returns, which notices first: system
 * calls would have many times their share of the samples. So the engine goes to the CPU of the
 * thread, sleeps there, and is woken by that CPU's own timer: the thread is interrupted where the
 * timer found it, and does not run while the engine does. It stops there when it is given the CPU
 * again.
 */
#include "tracer/tracer_priv.h"

#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "tracer/procfs/procfs.h"
#include "tracer/x86/regs.h"
#include "tracer/slot.h"

#define NAP_NS	   20000
#define NAP_MAX_NS 500000
#define WAIT_NS	   100000000U

typedef void sample_fn(struct thread *, const struct regs *, void *);

static void give(struct thread *t, sample_fn *fn, void *arg)
{
	struct regs r;
	const struct site *s;
	unsigned off;
	bool undo;

	if (!regs_all(&t->regs))
		return;
	r = t->regs.now;
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
		if (strchr("DZX", procfs_state(tid, NULL)) || now_mono() - start > WAIT_NS)
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

/* ---- the CPUs ---- */

#define VISIT_MIN_NS                                                                               \
	30000 /* how long a CPU goes on before its timer; at random, so that it keeps */
#define VISIT_MORE_NS 100000 /* no step with the program */

struct candidate {
	struct thread *thread;
	int cpu; /* where it is ready, or runs; -1: it has been looked after */
	uint64_t ran_ns;
};

static unsigned find_candidates(const struct proc *p, struct candidate **out)
{
	struct candidate *v = NULL;
	unsigned n = 0, room = 0;

	for (struct thread *t = p->threads; t; t = t->next) {
		int cpu = t->state == THREAD_RUNNING ? procfs_ready_cpu(t->tid) : -1;

		if (cpu < 0)
			continue;
		if (n == room) {
			room = room ? 2 * room : 16;
			v = xrealloc(v, room * sizeof(*v));
		}
		v[n++] = (struct candidate){t, cpu, 0};
	}
	*out = v;
	return n;
}

static void let_run(struct tracer *tr)
{
	struct timespec nap = {.tv_nsec = VISIT_MIN_NS};

	tr->visits = tr->visits * 1103515245U + 12345U; /* as in C11 §7.22.2 */
	nap.tv_nsec += (tr->visits >> 8) % VISIT_MORE_NS;
	nanosleep(&nap, NULL);
}

/* Of those that are ready on this CPU, the one that has just run there; NULL: another process has.
 */
static struct thread *who_ran(struct tracer *tr, struct candidate *c, unsigned n, int cpu)
{
	struct thread *best = NULL;
	uint64_t most_ns = 0;

	for (unsigned i = 0; i < n; i++)
		if (c[i].cpu == cpu)
			c[i].ran_ns = procfs_ran_ns(c[i].thread->tid);
	let_run(tr);
	for (unsigned i = 0; i < n; i++) {
		pid_t tid = c[i].thread->tid;
		uint64_t ran_ns;

		if (c[i].cpu != cpu)
			continue;
		c[i].cpu = -1;
		ran_ns = procfs_ran_ns(tid) - c[i].ran_ns;
		if (ran_ns > most_ns && procfs_ready_cpu(tid) == cpu) {
			best = c[i].thread;
			most_ns = ran_ns;
		}
	}
	return best;
}

void proc_sample(struct proc *p, sample_fn *fn, void *arg)
{
	struct tracer *tr = p->tracer;
	struct candidate *c;
	unsigned n = find_candidates(p, &c);
	cpu_set_t own, one;
	bool is_movable = sched_getaffinity(0, sizeof(own), &own) == 0;

	for (unsigned i = 0; i < n; i++) {
		int cpu = c[i].cpu;
		struct thread *t;

		if (cpu < 0)
			continue;
		if (c[i].thread->colo.cpu == cpu && sched_getcpu() == cpu) {
			c[i].cpu =
				-1; /* it was moved here, and stops for its next hit any moment */
			sample(c[i].thread, fn, arg);
			continue;
		}
		CPU_ZERO(&one);
		CPU_SET((size_t)cpu, &one);
		if (is_movable)
			sched_setaffinity(0, sizeof(one), &one);
		t = who_ran(tr, c, n, cpu);
		if (t)
			sample(t, fn, arg);
	}
	if (n && is_movable)
		sched_setaffinity(0, sizeof(own), &own);
	free(c);
}
