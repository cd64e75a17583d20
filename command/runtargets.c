/*
 * runtargets.c: the processes of -c and -p: launched or attached, with and without ptrace, resumed,
 * and let go at the end.
 */
#include <errno.h>
#include <linux/oom.h>
#include <stdlib.h>

#include "base/fatal.h"
#include "base/pulse.h"
#include "command/engine_priv.h"
#include "command/targets.h"
#include "dlang/dlang.h"
#include "providers/pid/pid.h"
#include "tracer/janitor/watchdog.h"
#include "tracer/journal/journal.h"
#include "tracer/procfs/procfs.h"

/* A run without one is as good, unless it is killed, or hangs. */
void engine_guard(struct engine *e)
{
	struct session *s = e->s;
	struct err err;
	int rc;

	e->world.journal = journal_new(s->arena);
	s->journal = e->world.journal;
	s->watchdog = ARENA_NEW(s->arena, struct watchdog);
	rc = watchdog_start(s->watchdog, e->world.journal, &err);
	if (rc == -EACCES)
		e->deadly = err;
	else if (rc < 0 && e->run->cmd->is_verbose)
		session_message(s, MSG_ERR, true, "%s; running without it", err.text);
}

static void on_crash(void *arg)
{
	tracer_crashed(((const struct engine *)arg)->world.tracer);
}

/* The tracer is made when there is something to trace. */
static int need_tracer(struct engine *e, struct err *err)
{
	struct world *w = &e->world;
	struct sigevent wake = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = ENGINE_SIGNAL};
	sigset_t set;

	if (w->tracer)
		return 0;
	if (e->deadly.code) {
		*err = e->deadly;
		return err->code;
	}
	if (procfs_check(err) < 0)
		return err->code;
	/* killed for want of memory, it would take targets along: the watchdog inherits it */
	e->oom_score_adj = procfs_oom_score_adj();
	procfs_set_oom_score_adj(OOM_SCORE_ADJ_MIN);
	if (timer_create(CLOCK_MONOTONIC, &wake, &e->timer) < 0)
		return err_set(err, -errno, "cannot make a timer: %s", strerror(errno));
	w->tracer = tracer_new(&engine_tracer_ops, e, w->journal);
	fatal_prepare(on_crash, e);
	sigemptyset(&set); /* from now on it ends the wait for stops */
	sigaddset(&set, ENGINE_SIGNAL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return 0;
}

static void add_proc(struct engine *e, struct proc *p, enum proc_origin origin)
{
	struct world *w = &e->world;

	engine_keep_proc(w, p, origin, origin != PROC_NAMED);
	if (origin != PROC_NAMED && w->nawaited++ == 0) {
		e->s->target_pid = proc_pid(p);
		e->s->engine->target = proc_target(p);
	}
	pid_proc_ops.added(w, p);
}

static void add_untraced(struct engine *e, struct untraced *u)
{
	struct world *w = &e->world;

	engine_keep_proc(w, NULL, PROC_COMMAND, true)->untraced = u;
	w->has_untraced = true;
	if (w->nawaited++ == 0)
		e->s->target_pid = untraced_pid(u);
}

/* Where a program of -c waits for its probes. */
static enum evaltime evaltime(const struct engine *e)
{
	static const enum evaltime at[] = {
		[EVALTIME_WORD_EXEC] = EVALTIME_EXEC,
		[EVALTIME_WORD_PREINIT] = EVALTIME_PREINIT,
		[EVALTIME_WORD_POSTINIT] = EVALTIME_POSTINIT,
		[EVALTIME_WORD_MAIN] = EVALTIME_MAIN,
	};

	return opt_on(&e->s->options, OPT_EVALTIME) ? at[opt(&e->s->options, OPT_EVALTIME)]
						    : EVALTIME_POSTINIT;
}

static int attach(struct engine *e, pid_t pid, enum proc_origin origin, struct err *err)
{
	struct proc *p;
	int rc;

	if (pid == e->s->front_pid || pid == getpid())
		return err_set(err, -EINVAL, "process %d is dtrace itself", pid);
	rc = need_tracer(e, err);
	if (rc == 0)
		rc = tracer_attach(e->world.tracer, pid, evaltime(e), &p, err);
	if (rc == 0)
		add_proc(e, p, origin);
	return rc;
}

int engine_grab_named(struct world *w, pid_t pid, struct err *err)
{
	for (unsigned i = 0; i < w->nprocs; i++)
		if (w->procs[i].untraced && untraced_pid(w->procs[i].untraced) == pid)
			return err_set(err, -EPERM, "%s", w->engine->untraced.text);
	return attach(w->engine, pid, PROC_NAMED, err);
}

static int grab_one(struct world *w, pid_t pid, enum proc_origin origin, struct proc *of,
		    struct err *err)
{
	struct engine *e = w->engine;
	struct proc *p;
	int rc;

	if (!of)
		return attach(e, pid, origin, err);
	if (proc_brings(of, pid))
		return err_set(err, -EEXIST, "process %d is traced already", pid);
	rc = tracer_attach(w->tracer, pid, evaltime(e), &p, err);
	if (rc < 0)
		return rc;
	engine_keep_proc(w, p, origin, true);
	w->nawaited += origin == PROC_PID;
	pid_proc_ops.followed(w, of, p);
	return 0;
}

/* A wait that no deadline ends sees at least these signals; 0: no more. */
static void beat(struct engine *e, long ns)
{
	const struct itimerspec it = {.it_value.tv_nsec = ns, .it_interval.tv_nsec = ns};

	timer_settime(e->timer, 0, &it, NULL);
}

static bool wants_hooks(const struct engine *e)
{
	const struct cmdline *cmd = e->run->cmd;

	for (unsigned i = 0; i < cmd->nsources; i++)
		if (dlang_names_provider(e->s, &cmd->sources[i], "fpid"))
			return true;
	return false;
}

/*
 * Why ptrace is forbidden is in *err. A program that is to be hooked is let in by a library; any
 * other is not touched at all.
 */
static int launch_without_ptrace(struct engine *e, const struct launch *l, struct err *err)
{
	struct world *w = &e->world;
	struct untraced *u;
	struct err why = *err;
	struct proc *p;
	int rc = -ENOTSUP;

	e->untraced = why;
	w->cannot_stop = true;
	if (wants_hooks(e)) {
		rc = tracer_launch_preloaded(w->tracer, l, &p, &why);
		if (rc == -ENOTSUP)
			err_wrap(&why, "%s", e->untraced.text);
	}
	if (rc == 0) {
		add_proc(e, p, PROC_COMMAND);
		return 0;
	}
	if (rc != -ENOTSUP) {
		*err = why;
		return rc;
	}
	e->untraced = why;
	rc = tracer_launch_untraced(w->tracer, l, &u, err);
	if (rc == 0)
		add_untraced(e, u);
	return rc;
}

static int launch(struct engine *e, const char *command, struct err *err)
{
	struct launch l = {
		.envp = e->run->cmd->envp,
		.pgrp = e->run->pgrp,
		.sigmask = &e->run->sigmask,
		.sigacts = e->run->sigacts,
		.evaltime = evaltime(e),
		.oom_score_adj = e->oom_score_adj,
	};
	struct proc *p;
	char **words;
	int rc = cmdline_split(command, &words);

	if (rc < 0)
		return err_set(err, rc, "failed to execute %s: %s", command,
			       rc == -EINVAL ? "a quote has no end" : strerror(ENOENT));
	l.argv = words;
	rc = need_tracer(e, err);
	if (rc == 0) {
		beat(e, ENGINE_WAIT_NS);
		rc = tracer_launch(e->world.tracer, &l, &p, err);
		beat(e, 0);
	}
	if (rc == 0) {
		add_proc(e, p, PROC_COMMAND);
		e->world.procs[e->world.nprocs - 1].is_at_exec = l.evaltime == EVALTIME_EXEC;
	} else if (e->world.tracer && rc == -EOPNOTSUPP) {
		rc = launch_without_ptrace(e, &l, err);
	}
	free(words);
	return rc;
}

int engine_get_targets(struct engine *e, struct err *err)
{
	const struct cmdline *cmd = e->run->cmd;
	int rc = 0;

	for (unsigned i = 0; i < cmd->ntargets && rc == 0; i++) {
		const struct cmd_target *t = &cmd->targets[i];

		engine_debug(e->s, t->command ? "launching %s" : "attaching to %s",
			     t->command ? t->command : t->pid_text);
		rc = t->command ? launch(e, t->command, err)
				: grab_target(&e->world, t, grab_one, err);
	}
	return rc;
}

/* ---- they run, and are let go ---- */

int engine_resume_all(struct world *w, struct err *err)
{
	int rc = 0;

	for (unsigned i = 0; i < w->nprocs && rc == 0; i++) {
		const struct world_proc *wp = &w->procs[i];

		if (wp->untraced)
			rc = untraced_resume(wp->untraced, err);
		else if (wp->proc && wp->origin == PROC_COMMAND)
			tracer_resume(wp->proc);
		else if (wp->proc) /* running: libraries may have come before we knew */
			pid_proc_ops.mapped(w, wp->proc);
	}
	return rc;
}

/* An orderly end takes the programs of -c with it; the death of the front does not. */
void engine_release_procs(struct engine *e)
{
	struct world *w = &e->world;

	e->is_leaving = true;
	for (unsigned i = 0; i < w->nprocs; i++) {
		const struct world_proc *wp = &w->procs[i];

		pulse();
		if (wp->untraced && e->is_orphan && e->has_run)
			untraced_free(wp->untraced);
		else if (wp->untraced)
			untraced_kill(wp->untraced);
		if (!wp->proc)
			continue;
		if (wp->origin == PROC_COMMAND && !(e->is_orphan && e->has_run)) {
			tracer_kill(wp->proc);
			continue;
		}
		pid_proc_ops.parting(w, wp->proc);
		tracer_detach(wp->proc);
	}
	if (w->tracer)
		tracer_free(w->tracer);
	free(w->procs);
	w->nprocs = 0;
}

void engine_detach_all(void *arg)
{
	struct engine *e = arg;
	struct world *w = &e->world;

	e->is_leaving = true;
	for (unsigned i = 0; i < w->nprocs; i++)
		if (w->procs[i].proc)
			tracer_detach(w->procs[i].proc);
}
