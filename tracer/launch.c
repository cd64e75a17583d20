/* A program started under the engine: a gated fork, seized before it execs. */
#include "inside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "procfs.h"

struct gate {
	int open[2];   /* the engine lets the child exec */
	int report[2]; /* the child says why it could not */
};

static int gate_init(struct gate *g, struct err *err)
{
	if (pipe2(g->open, O_CLOEXEC) < 0)
		return err_set(err, -errno, "cannot make a pipe: %s", strerror(errno));
	if (pipe2(g->report, O_CLOEXEC) < 0) {
		int e = errno;

		close(g->open[0]);
		close(g->open[1]);
		return err_set(err, -e, "cannot make a pipe: %s", strerror(e));
	}
	return 0;
}

/* One place where the program may be. Returns why it is not this one; 0: go on looking. */
static int exec_at(const char *path, const struct launch *l)
{
	execve(path, l->argv, l->envp);
	if (errno == ENOENT || errno == ENOTDIR)
		return 0;
	/* a folder we may not search is no reason to stop, a file we may not execute is */
	return errno == EACCES && access(path, F_OK) < 0 ? 0 : errno;
}

/* Not execvpe(): that gives a file that is no program to the shell. Returns the errno. */
static int exec_program(const struct launch *l)
{
	const char *file = l->argv[0], *dir = getenv("PATH");
	char path[PATH_MAX];
	int e = 0;

	if (strchr(file, '/')) {
		execve(file, l->argv, l->envp);
		return errno;
	}
	if (!dir)
		dir = "/usr/local/bin:/usr/bin:/bin";
	while (*file && !e) {
		size_t n = strcspn(dir, ":");

		if (snprintf(path, sizeof(path), "%.*s%s%s", (int)n, dir, n ? "/" : "", file) <
		    (int)sizeof(path))
			e = exec_at(path, l);
		if (!dir[n])
			break;
		dir += n + 1;
	}
	return e ? e : ENOENT;
}

/* The program gets what the front was given: group, CPUs, dispositions, mask. */
static NORETURN void child_main(const struct tracer *tr, const struct launch *l,
				const struct gate *g)
{
	char go;
	int e;

	if (l->pgrp)
		setpgid(0, l->pgrp);
	if (tr->cpu >= 0)
		sched_setaffinity(0, sizeof(tr->mask), &tr->mask);
	if (procfs_oom_score_adj() != l->oom_score_adj)
		procfs_set_oom_score_adj(l->oom_score_adj);
	close(g->open[1]);
	if (read(g->open[0], &go, 1) != 1)
		_exit(127);
	for (int sig = 1; l->sigacts && sig < NSIG; sig++)
		sigaction(sig, &l->sigacts[sig], NULL);
	if (l->sigmask)
		sigprocmask(SIG_SETMASK, l->sigmask, NULL);
	e = exec_program(l);
	if (write(g->report[1], &e, sizeof(e)) != sizeof(e))
		_exit(126);
	_exit(127);
}

static int seize(pid_t pid, struct err *err)
{
	int e;

	if (ptrace(PTRACE_SEIZE, pid, 0, TRACE_OPTIONS) == 0)
		return 0;
	e = errno;
	if (e == EPERM)
		tracer_explain_eperm(pid, err);
	else
		err_set(err, -e, "cannot trace process %d: %s", pid, strerror(e));
	return -e;
}

static void reap(pid_t pid)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
}

/* It ended on its way: the errno of exec, or how it died. */
static int launch_failed(const struct tracer *tr, const struct launch *l, int report,
			 struct err *err)
{
	int e, status = tr->launch_status;

	if (read(report, &e, sizeof(e)) == sizeof(e))
		return err_set(err, -e, "failed to execute %s: %s", l->argv[0], strerror(e));
	if (WIFSIGNALED(status))
		return err_set(err, -ECHILD,
			       "%s was ended by signal %d (%s) before it could be traced",
			       l->argv[0], WTERMSIG(status), strsignal(WTERMSIG(status)));
	return err_set(err, -ECHILD, "%s exited with status %d before it could be traced",
		       l->argv[0], WEXITSTATUS(status));
}

/*
 * Runs the engine until the new process is held at its rendezvous. -ECHILD: it has died, -EINTR: it
 * was killed because the owner gives up.
 */
static int run_to_rendezvous(struct tracer *tr, struct proc *p)
{
	int status;
	pid_t tid;

	tr->launching = p;
	while (tr->launching && p->stage != STAGE_LIVE) {
		if (tracer_next(tr, &tid, &status)) {
			dispatch(tr, tid, status);
		} else if (errno == ECHILD) {
			proc_gone(p, 0);
		} else if (tr->ops->give_up && tr->ops->give_up(tr->arg)) {
			tracer_kill(p);
			return -EINTR;
		}
	}
	if (!tr->launching)
		return -ECHILD;
	tr->launching = NULL;
	return 0;
}

static int launch_gated(struct tracer *tr, const struct launch *l, const struct gate *g, pid_t pid,
			struct proc **out, struct err *err)
{
	struct proc *p;
	int r;

	if (l->pgrp)
		setpgid(pid, l->pgrp);
	r = seize(pid, err);
	if (r) {
		reap(pid);
		return r;
	}
	p = proc_new(tr, pid);
	p->evaltime = l->evaltime;
	thread_begin(p, pid, pid);
	r = write(g->open[1], "", 1) == 1 ? run_to_rendezvous(tr, p) : -ECHILD;
	if (r == -EINTR)
		return err_set(err, r, "%s was ended before it could be traced", l->argv[0]);
	if (r)
		return launch_failed(tr, l, g->report[0], err);
	*out = p;
	return 0;
}

int tracer_launch(struct tracer *tr, const struct launch *l, struct proc **out, struct err *err)
{
	struct gate g;
	pid_t pid;
	int r = gate_init(&g, err);

	if (r)
		return r;
	pid = fork();
	if (pid == 0)
		child_main(tr, l, &g);
	close(g.open[0]);
	close(g.report[1]);
	if (pid < 0)
		r = err_set(err, -errno, "cannot fork: %s", strerror(errno));
	else
		r = launch_gated(tr, l, &g, pid, out, err);
	close(g.open[1]);
	close(g.report[0]);
	return r;
}
