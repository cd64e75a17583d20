/* A program started under the engine: a gated fork, seized before it execs. */
#include "tracer/tracer_priv.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "tracer/execgate.h"

static int seize(pid_t pid, struct err *err)
{
	int e;

	if (ptrace(PTRACE_SEIZE, pid, 0, TRACE_OPTIONS) == 0)
		return 0;
	e = errno;
	if (e != EPERM)
		return err_set(err, e == ENOSYS ? -EOPNOTSUPP : -e, "cannot trace process %d: %s",
			       pid, strerror(e));
	tracer_explain_eperm(pid, err);
	err->code = -EOPNOTSUPP; /* -EPERM is what exec may give */
	return err->code;
}

static void reap(pid_t pid)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
}

/* It ended on its way: the errno of exec, or how it died. */
static int launch_failed(const struct tracer *tr, const struct launch *l, const struct gate *g,
			 struct err *err)
{
	int e = 0, status = tr->launch_status;

	while (!e && gate_report(tr, g, &e))
		;
	if (e)
		return gate_failed(l->argv[0], e, err);
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

static int launch_gated(struct tracer *tr, const struct launch *l, const struct gate *g,
			struct proc **out, struct err *err)
{
	struct proc *p;
	int r = seize(g->pid, err);

	if (r) {
		reap(g->pid);
		return r;
	}
	p = proc_new(tr, g->pid);
	p->evaltime = l->evaltime;
	thread_begin(p, g->pid, g->pid);
	/* where it was not found, the process ends on its own */
	gate_open(g);
	r = run_to_rendezvous(tr, p);
	if (r == -EINTR)
		return err_set(err, r, "%s was ended before it could be traced", l->argv[0]);
	if (r)
		return launch_failed(tr, l, g, err);
	*out = p;
	return 0;
}

int tracer_launch(struct tracer *tr, const struct launch *l, struct proc **out, struct err *err)
{
	struct gate g;
	int r = gate_fork(tr, l, &g, err);

	if (r)
		return r;
	r = launch_gated(tr, l, &g, out, err);
	gate_close(&g);
	return r;
}
