#include "tracer/janitor/watchdog.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/oom.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/procfile.h"
#include "base/pulse.h"
#include "tracer/janitor/janitor.h"
#include "tracer/janitor/keeper.h"
#include "tracer/tracer_priv.h"
#include "tracer/procfs/procfs.h"
#include "tracer/procfs/wait.h"

#define START_SECONDS 10	 /* on a busy machine; it does nothing before */
#define DEATH_NS      100000000L /* a thread that stood at a breakpoint dies within */
#define LOOK_NS	      5000000L
#define TICK_NS	      100000000L /* how often an engine that is to end is looked at */
#define JOIN_SECONDS  15	 /* for what is done in targets when the engine is dead */

/* ---- the word both wait on ---- */

static void set_state(struct watchdog *w, enum watchdog_state state)
{
	w->state = state;
	syscall(SYS_futex, &w->state, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* Waits until the state is another one. False: too long. */
static bool wait_while(struct watchdog *w, enum watchdog_state state)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += START_SECONDS;
	while (w->state == state)
		if (syscall(SYS_futex, &w->state, FUTEX_WAIT_BITSET, state, &until, NULL,
			    FUTEX_BITSET_MATCH_ANY) < 0 &&
		    errno == ETIMEDOUT)
			return false;
	return true;
}

/* ---- the watchdog ---- */

/* A thread of it is in a tracing stop: the SIGTRAP of a breakpoint may be on its way. */
static bool is_held(pid_t pid)
{
	struct procids tids;
	bool held = false;
	pid_t tid;

	procids_open(&tids, pid);
	while (!held && (tid = procids_next(&tids)))
		held = procfs_state(tid, NULL) == 't';
	procids_close(&tids);
	return held;
}

/*
 * A thread that was about to make a system call for the engine has registers that are not its own:
 * a SIGSTOP keeps it from running with them when the engine lets go of it ...
 */
static void hold_caller(struct watchdog *w, const struct journal *j)
{
	const struct journal_call *call = journal_call(j);

	if (call && !call->is_stopped && !syscall(SYS_tgkill, call->pid, call->tid, SIGSTOP))
		w->stopped = call->pid;
}

/* ... and then we give them back to it, unless the engine has done so meanwhile. */
static void release_caller(const struct watchdog *w, const struct journal *j)
{
	const struct journal_call *call = journal_call(j);
	int status;

	if (call && ptrace(PTRACE_SEIZE, call->tid, 0, 0) == 0) {
		ptrace(PTRACE_INTERRUPT, call->tid, 0, 0);
		if (waitpid(call->tid, &status, __WALL) == call->tid && WIFSTOPPED(status)) {
			ptrace(PTRACE_SETREGS, call->tid, 0, &call->regs);
			ptrace(PTRACE_SETSIGMASK, call->tid, sizeof(call->sigmask), &call->sigmask);
			ptrace(PTRACE_DETACH, call->tid, 0, 0);
		}
	}
	if (w->stopped)
		kill(w->stopped, SIGCONT);
}

/* Children by fork that the kernel has made the engine's tracees, and that it has not heard of:
 * they stand still, with their parents' breakpoints. */
static void take_out_of_the_unheard(const struct journal *j, pid_t engine)
{
	struct procids pids;
	pid_t pid;

	procids_open(&pids, 0);
	while ((pid = procids_next(&pids))) {
		uint64_t tracer, parent;

		if (procfs_status(pid, "TracerPid", 10, &tracer) && (pid_t)tracer == engine &&
		    procfs_status(pid, "PPid", 10, &parent))
			journal_restore_copy(j, (pid_t)parent, pid);
	}
	procids_close(&pids);
}

/* The engine is about to end, and holds its tracees until we let it go. */
static bool take_out(struct watchdog *w, struct journal *j, pid_t engine)
{
	pid_t pids[WATCHDOG_PROCS];
	bool held = false;

	keeper_end(engine);
	journal_restore(j, true);
	take_out_of_the_unheard(j, engine);
	journal_restore_masks(j);
	hold_caller(w, j);
	w->nprocs = journal_pids(j, pids, WATCHDOG_PROCS);
	for (pid_t pid = 0; (pid = journal_next_changed(j, pid)) && w->nprocs < WATCHDOG_PROCS;) {
		unsigned i = 0;

		while (i < w->nprocs && pids[i] != pid)
			i++;
		pids[i] = pid;
		w->nprocs = MAX(w->nprocs, i + 1);
	}
	for (unsigned i = 0; i < w->nprocs; i++) {
		w->procs[i].pid = pids[i];
		held |= is_held(pids[i]);
	}
	return held;
}

static bool all_live(struct watchdog *w)
{
	bool all = true;

	for (unsigned i = 0; i < w->nprocs; i++) {
		w->procs[i].lives = procfs_is_alive(w->procs[i].pid);
		all &= w->procs[i].lives;
	}
	return all;
}

/* Who was at a breakpoint when the engine died cannot be helped, but it can be said. */
static void see_what_became(struct watchdog *w, bool held)
{
	const struct timespec nap = {.tv_nsec = LOOK_NS};

	for (long ns = 0; all_live(w) && held && ns < DEATH_NS; ns += LOOK_NS)
		nanosleep(&nap, NULL);
	if (w->nprocs || w->is_hung)
		set_state(w, WATCHDOG_ACTED);
}

/* ---- an engine that hangs ---- */

struct look {
	uint32_t pulse;
	uint64_t time_ns,
		cpu_ns; /* when the pulse was seen to move, and what had been used by then */
};

struct guard {
	struct watchdog *w;
	struct journal *j;
	pid_t engine, front;
	int pidfd;
	bool is_tracing;
	bool was_held;	    /* somebody stood at a breakpoint when bytes were put back */
	bool is_out;	    /* they have been, before the engine was killed */
	uint64_t killed_ns; /* 0: not by us */
	struct look look;
};

static bool is_to_end(const struct guard *g)
{
	return g->w->request != WATCHDOG_WAIT || getppid() != g->front;
}

static struct look look_at(const struct guard *g)
{
	return (struct look){g->w->pulse, now_mono(), procfs_ran_ns(g->engine)};
}

/*
 * One that uses the CPU is given what it may use, however long that takes among others; one that
 * sleeps where no signal but SIGKILL wakes it is not waiting for a thread of the target to be given
 * a CPU.
 */
static bool is_hung(struct guard *g)
{
	const uint64_t limit = WATCHDOG_SECONDS * 1000000000ULL;
	struct look now = look_at(g);
	bool is_moving = now.pulse != g->look.pulse;
	char state = procfs_state(g->engine, NULL);

	if (!g->look.time_ns || is_moving)
		g->look = now;
	if (!g->look.time_ns || !state || state == 'Z' || state == 'X')
		return false;
	if (state == 'D' && !is_moving && g->w->request == WATCHDOG_AT_ONCE)
		return now.cpu_ns == g->look.cpu_ns;
	if (state == 'R')
		return now.cpu_ns - g->look.cpu_ns >= limit;
	return now.time_ns - g->look.time_ns >= limit;
}

/* By a process of its own: memory of a target may not come for us either. */
static void take_out_in_time(struct guard *g)
{
	const struct timespec nap = {.tv_nsec = LOOK_NS};
	pid_t pid = fork();
	long ns = 0;

	if (pid == 0) {
		g->w->nprocs = 0;
		take_out(g->w, g->j, g->engine);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, WNOHANG) == 0 && ns < 1000000000L) {
		nanosleep(&nap, NULL);
		ns += LOOK_NS;
	}
	if (pid > 0)
		kill(pid, SIGKILL);
	for (unsigned i = 0; i < g->w->nprocs; i++)
		g->was_held |= is_held(g->w->procs[i].pid);
	g->is_out = true;
}

/* What it would do from now on nobody would undo: it stands still, unless no signal reaches it. */
static void stop_it(const struct guard *g)
{
	const struct timespec nap = {.tv_nsec = LOOK_NS};
	int status;

	if (!g->is_tracing || ptrace(PTRACE_INTERRUPT, g->engine, 0, 0) < 0)
		return;
	for (long ns = 0; ns < DEATH_NS && waitpid(g->engine, &status, __WALL | WNOHANG) == 0;
	     ns += LOOK_NS)
		nanosleep(&nap, NULL);
}

static void end_it(struct guard *g)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/wchan", g->engine);
	if (!procfs_line(path, g->w->where, sizeof(g->w->where)) || g->w->where[0] == '0')
		g->w->where[0] = '\0';
	g->w->is_hung = true;
	stop_it(g);
	take_out_in_time(g);
	g->killed_ns = now_mono();
	syscall(SYS_pidfd_send_signal, g->pidfd, SIGKILL, NULL, 0);
	if (g->is_tracing)
		ptrace(PTRACE_CONT, g->engine, 0, 0); /* it may be on its way out */
}

static void look_after(struct guard *g)
{
	if (g->killed_ns) {
		if (now_mono() - g->killed_ns > WATCHDOG_SECONDS * 1000000000ULL &&
		    g->w->state != WATCHDOG_STUCK)
			set_state(g->w, WATCHDOG_STUCK);
	} else if (is_hung(g)) {
		end_it(g);
	}
}

/* ---- the watch ---- */

/* Deals with what the engine has stopped for. False: it is gone. */
static bool see_stops(struct guard *g)
{
	pid_t r;
	int status;

	while ((r = waitpid(g->engine, &status, __WALL | WNOHANG)) == g->engine) {
		struct stop s = stop_decode(status);
		int sig = s.kind == STOP_SIGNAL || s.kind == STOP_TRAP ? s.sig : 0;

		if (s.kind == STOP_EXITED)
			return false;
		if (status >> 16 == PTRACE_EVENT_EXIT && !g->is_out)
			g->was_held = take_out(g->w, g->j, g->engine);
		ptrace(s.kind == STOP_GROUP ? PTRACE_LISTEN : PTRACE_CONT, g->engine, 0, sig);
	}
	return r == 0;
}

static void nothing(int sig UNUSED)
{
	/* ends the wait */
}

/* All signals are blocked but for the length of the wait. */
static void watch(struct guard *g)
{
	const struct timespec tick = {.tv_nsec = TICK_NS};
	struct pollfd fd = {.fd = g->pidfd, .events = POLLIN};
	struct sigaction sa = {.sa_handler = nothing};
	sigset_t open;

	sigaction(SIGCHLD, &sa, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	sigfillset(&open);
	sigdelset(&open, SIGCHLD);
	sigdelset(&open, SIGUSR1);
	prctl(PR_SET_PDEATHSIG, SIGUSR1);
	for (;;) {
		if (g->is_tracing && !see_stops(g))
			return;
		if (is_to_end(g))
			look_after(g);
		fd.revents = 0;
		ppoll(&fd, 1, is_to_end(g) ? &tick : NULL, &open);
		if (!g->is_tracing && fd.revents)
			return;
	}
}

static NORETURN void watchdog_main(struct watchdog *w, struct journal *j, pid_t engine, pid_t front)
{
	/* Once it is woken every hit is a death: it goes first, where that is permitted. */
	const struct sched_param first = {.sched_priority = 1};
	struct guard g = {.w = w, .j = j, .engine = engine, .front = front};
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	pulse_share(NULL);
	prctl(PR_SET_NAME, "dtrace-watchdog");
	procfs_set_oom_score_adj(OOM_SCORE_ADJ_MIN); /* as what it guards */
	sched_setscheduler(0, SCHED_FIFO, &first);
	if (!wait_while(w, WATCHDOG_NONE))
		_exit(1);
	g.pidfd = (int)syscall(SYS_pidfd_open, engine, 0);
	g.is_tracing = ptrace(PTRACE_SEIZE, engine, 0, PTRACE_O_TRACEEXIT) == 0;
	if (!g.is_tracing)
		w->error = errno;
	if (!g.is_tracing && g.pidfd < 0)
		_exit(1);
	set_state(w, g.is_tracing ? WATCHDOG_ON : WATCHDOG_REFUSED);
	watch(&g);
	if (!g.is_tracing && !w->is_hung)
		_exit(0);
	release_caller(w, j);
	see_what_became(w, g.was_held);
	janitor_clean(j);
	_exit(0);
}

/* ---- the engine's side ---- */

/* A filter may kill it at its first ptrace: then there is no answer. */
static bool wait_for_answer(const struct watchdog *w)
{
	const struct timespec slice = {.tv_nsec = LOOK_NS};
	struct pollfd fd = {.fd = w->pidfd, .events = POLLIN};
	uint64_t until_ns = now_mono() + START_SECONDS * 1000000000ULL;

	while (w->state == WATCHDOG_ASKED) {
		if (poll(&fd, 1, 0) > 0 && w->state == WATCHDOG_ASKED)
			return false;
		if (now_mono() > until_ns)
			return false;
		syscall(SYS_futex, &w->state, FUTEX_WAIT, WATCHDOG_ASKED, &slice, NULL, 0);
	}
	return true;
}

int watchdog_start(struct watchdog *w, struct journal *j, struct err *err)
{
	unsigned long flags = CLONE_FILES | CLONE_PARENT | CLONE_PIDFD | SIGCHLD;
	pid_t self = getpid(), front = getppid();
	long pid = syscall(SYS_clone, flags, NULL, &w->pidfd, NULL, 0);

	if (pid < 0)
		return err_set(err, -errno, "cannot start the watchdog: %s", strerror(errno));
	if (pid == 0)
		watchdog_main(w, j, self, front);
	w->pid = (pid_t)pid;
	pulse_share(&w->pulse);
	prctl(PR_SET_PTRACER, pid); /* for Yama; where there is none it is not needed */
	set_state(w, WATCHDOG_ASKED);
	if (!wait_for_answer(w)) {
		struct pollfd fd = {.fd = w->pidfd, .events = POLLIN};

		if (poll(&fd, 1, 0) > 0)
			return err_set(err, -EACCES,
				       "a seccomp filter kills whoever calls ptrace here: programs "
				       "cannot be traced (-c, -p); in a container, run it with "
				       "--cap-add SYS_PTRACE");
		watchdog_stop(w);
		return err_set(err, -ETIMEDOUT, "the watchdog does not answer");
	}
	if (w->state == WATCHDOG_REFUSED)
		return err_set(err, -w->error, "the watchdog may not trace the engine: %s",
			       strerror(w->error));
	return 0;
}

void watchdog_stop(struct watchdog *w)
{
	if (w->pid)
		syscall(SYS_pidfd_send_signal, w->pidfd, SIGKILL, NULL, 0);
}

void watchdog_urge(struct watchdog *w, enum watchdog_request request)
{
	if (!w->pid || w->request >= (uint32_t)request)
		return;
	w->request = request;
	kill(w->pid, SIGUSR1);
}

bool watchdog_join(struct watchdog *w)
{
	const struct timespec nap = {.tv_nsec = LOOK_NS};
	uint64_t until_ns = now_mono() + JOIN_SECONDS * 1000000000ULL;

	while (w->pid && now_mono() < until_ns) {
		pid_t r = waitpid(w->pid, NULL, WNOHANG);

		if (r == w->pid || (r < 0 && errno == ECHILD))
			break;
		nanosleep(&nap, NULL);
	}
	return w->state == WATCHDOG_ACTED;
}
