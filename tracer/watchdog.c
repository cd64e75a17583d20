#include "tracer/watchdog.h"

#include <dirent.h>
#include <errno.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tracer/aftermath.h"
#include "tracer/inside.h"
#include "tracer/procfs.h"
#include "tracer/wait.h"

#define START_SECONDS 10	 /* on a busy machine; it does nothing before */
#define DEATH_NS      100000000L /* a thread that stood at a breakpoint dies within */
#define LOOK_NS	      5000000L

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

static bool lives(pid_t pid)
{
	char c = procfs_state(pid, NULL);

	return c && c != 'Z' && c != 'X';
}

/* A thread of it is in a tracing stop: the SIGTRAP of a breakpoint may be on its way. */
static bool is_held(pid_t pid)
{
	struct dirent *d;
	bool held = false;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && !held && (d = readdir(dir)))
		held = d->d_name[0] != '.' && procfs_state(atoi(d->d_name), NULL) == 't';
	if (dir)
		closedir(dir);
	return held;
}

/*
 * A thread that was about to make a system call for the engine has registers that are not its own:
 * a SIGSTOP keeps it from running with them when the engine lets go of it ...
 */
static void hold_caller(const struct journal *j)
{
	const struct journal_call *call = journal_call(j);

	if (call && !call->is_stopped)
		syscall(SYS_tgkill, call->pid, call->tid, SIGSTOP);
}

/* ... and then we give them back to it. */
static void release_caller(const struct journal *j)
{
	const struct journal_call *call = journal_call(j);
	int status;

	if (!call)
		return;
	if (ptrace(PTRACE_SEIZE, call->tid, 0, 0) == 0) {
		ptrace(PTRACE_INTERRUPT, call->tid, 0, 0);
		if (waitpid(call->tid, &status, __WALL) == call->tid && WIFSTOPPED(status)) {
			ptrace(PTRACE_SETREGS, call->tid, 0, &call->regs);
			ptrace(PTRACE_SETSIGMASK, call->tid, sizeof(call->sigmask), &call->sigmask);
			ptrace(PTRACE_DETACH, call->tid, 0, 0);
		}
	}
	if (!call->is_stopped)
		kill(call->pid, SIGCONT);
}

/* The engine is about to end, and holds its tracees until we let it go. */
static bool take_out(struct watchdog *w, struct journal *j)
{
	pid_t pids[WATCHDOG_PROCS];
	bool held = false;

	journal_restore(j, true);
	journal_restore_masks(j);
	hold_caller(j);
	w->nprocs = journal_pids(j, pids, WATCHDOG_PROCS);
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
		w->procs[i].lives = lives(w->procs[i].pid);
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
	if (w->nprocs)
		set_state(w, WATCHDOG_ACTED);
}

static void watch(struct watchdog *w, struct journal *j, pid_t engine)
{
	bool held = false;
	int status;

	while (waitpid(engine, &status, __WALL) == engine) {
		struct stop s = stop_decode(status);
		int sig = s.kind == STOP_SIGNAL || s.kind == STOP_TRAP ? s.sig : 0;

		if (s.kind == STOP_EXITED)
			break;
		if (status >> 16 == PTRACE_EVENT_EXIT)
			held = take_out(w, j);
		ptrace(s.kind == STOP_GROUP ? PTRACE_LISTEN : PTRACE_CONT, engine, 0, sig);
	}
	release_caller(j);
	see_what_became(w, held);
	aftermath(j);
}

static NORETURN void watchdog_main(struct watchdog *w, struct journal *j, pid_t engine)
{
	/* Once it is woken every hit is a death: it goes first, where that is permitted. */
	const struct sched_param first = {.sched_priority = 1};
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, "dtrace-watchdog");
	sched_setscheduler(0, SCHED_FIFO, &first);
	if (!wait_while(w, WATCHDOG_NONE))
		_exit(1);
	if (ptrace(PTRACE_SEIZE, engine, 0, PTRACE_O_TRACEEXIT) < 0) {
		w->error = errno;
		set_state(w, WATCHDOG_REFUSED);
		_exit(1);
	}
	set_state(w, WATCHDOG_ON);
	watch(w, j, engine);
	_exit(0);
}

/* ---- the engine's side ---- */

int watchdog_start(struct watchdog *w, struct journal *j, struct err *err)
{
	unsigned long flags = CLONE_FILES | CLONE_PARENT | CLONE_PIDFD | SIGCHLD;
	pid_t self = getpid();
	long pid = syscall(SYS_clone, flags, NULL, &w->pidfd, NULL, 0);

	if (pid < 0)
		return err_set(err, -errno, "cannot start the watchdog: %s", strerror(errno));
	if (pid == 0)
		watchdog_main(w, j, self);
	w->pid = (pid_t)pid;
	prctl(PR_SET_PTRACER, pid); /* for Yama; where there is none it is not needed */
	set_state(w, WATCHDOG_ASKED);
	if (!wait_while(w, WATCHDOG_ASKED)) {
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

bool watchdog_join(struct watchdog *w)
{
	while (w->pid && waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
		;
	return w->state == WATCHDOG_ACTED;
}
