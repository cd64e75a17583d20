#include "command/engine.h"

#include <ctype.h>
#include <errno.h>
#include <linux/oom.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/endreq.h"
#include "base/fatal.h"
#include "base/helper.h"
#include "base/pulse.h"
#include "base/strbuf.h"
#include "providers/kernel/bpf.h"
#include "command/targets.h"
#include "providers/kernel/perf.h"
#include "providers/kernel/pushreport.h"
#include "command/usdt_make.h"
#include "dlang/run/vars.h"
#include "symbols/dwarf/btf.h"
#include "symbols/kallsyms.h"
#include "tracer/journal/journal.h"
#include "tracer/procfs/procfs.h"
#include "tracer/janitor/watchdog.h"
#include "providers/pid/pid.h"
#include "providers/providers.h"
#include "providers/system/system.h"
#include "providers/world/kernsyms.h"
#include "providers/kernel/features.h"

/* The longest sleep: a wake-up that comes just before a wait begins costs at most this. */
#define MAX_WAIT_NS 50000000U
#define FILES_MIN   32U
/* The same for the timer's own signal, which then comes again. */
#define TIMER_REPEAT_NS 2000000U
/* Waits up to this long may be repeated by the timer itself. */
#define MAX_PERIOD_NS 30000000U

struct engine {
	const struct run *run;
	struct session *s;
	struct world world;
	timer_t timer;		     /* ends the wait for stops at a deadline */
	uint64_t armed_ns;	     /* the deadline it is set for */
	uint64_t period_ns;	     /* and then again each; 0: it has to be set */
	uint64_t looks_ns;	     /* when it is looked whether the front is there */
	bool is_leaving;	     /* nobody is followed any more */
	bool is_orphan;		     /* the front is dead: nobody reads any more */
	int oom_score_adj;	     /* what the front has */
	struct err untraced;	     /* why ptrace is forbidden */
	struct err deadly;	     /* it kills whoever calls it; code 0: it does not */
	const struct source *failed; /* the program that does not compile; its text may be long */
};

/* ---- signals ---- */

static void on_wake(int sig UNUSED)
{
	/* ends the wait; the loop looks at the request words */
}

void run_save_signals(struct run *r)
{
	sigprocmask(SIG_SETMASK, NULL, &r->sigmask);
	for (int sig = 1; sig < _NSIG; sig++)
		sigaction(sig, NULL, &r->sigacts[sig]);
	r->pgrp = getpgrp();
}

/*
 * SIGCHLD stays blocked: a tracer that lets it in is woken twice for each stop, and with
 * SA_NOCLDSTOP the kernel does not even queue it.
 */
static void set_signals(void)
{
	static const int blocked[] = {SIGINT,  SIGQUIT, SIGTERM, SIGHUP,  SIGPIPE,	SIGTSTP,
				      SIGTTOU, SIGTTIN, SIGCHLD, SIGXFSZ, ENGINE_SIGNAL};
	struct sigaction sa = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};
	sigset_t set;

	sigaction(SIGCHLD, &sa, NULL);
	sa = (struct sigaction){.sa_handler = on_wake}; /* no SA_RESTART */
	sigaction(ENGINE_SIGNAL, &sa, NULL);
	sigemptyset(&set);
	for (unsigned i = 0; i < ARRAY_SIZE(blocked); i++)
		sigaddset(&set, blocked[i]);
	sigprocmask(SIG_SETMASK, &set, NULL);
}

static bool front_is_gone(const struct engine *e)
{
	return getppid() != e->s->front_pid;
}

/* -x debug: what this half is about to do. */
static void debug(struct session *s, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void debug(struct session *s, const char *fmt, ...)
{
	struct strbuf text;
	va_list ap;

	if (!opt_on(&s->options, OPT_DEBUG))
		return;
	strbuf_init(&text);
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	session_message(s, MSG_ERR, false, "DEBUG %d: %s", getpid(), text.s);
	strbuf_release(&text);
}

/* ---- processes ---- */

static void report_end(struct session *s, pid_t pid, int status)
{
	const char *name;

	if (WIFSIGNALED(status)) {
		name = sigabbrev_np(WTERMSIG(status));
		if (name)
			session_message(s, MSG_ERR, true, "pid %d terminated by SIG%s", pid, name);
		else
			session_message(s, MSG_ERR, true, "pid %d terminated by signal %d", pid,
					WTERMSIG(status));
	} else if (WEXITSTATUS(status) != 0) {
		session_message(s, MSG_ERR, true, "pid %d exited with status %d", pid,
				WEXITSTATUS(status));
	}
}

static struct world_proc *keep_proc(struct world *w, struct proc *p, enum proc_origin origin,
				    bool is_awaited)
{
	unsigned i = 0;

	/* followed ones are many, and come and go */
	while (i < w->nprocs && (w->procs[i].proc || w->procs[i].origin != PROC_FOLLOWED))
		i++;
	if (i == w->procs_room) {
		w->procs_room = 2 * w->procs_room + 8;
		w->procs = xrealloc(w->procs, w->procs_room * sizeof(*w->procs));
	}
	w->nprocs = MAX(w->nprocs, i + 1);
	w->procs[i] = (struct world_proc){.proc = p, .origin = origin, .is_awaited = is_awaited};
	w->nlive += is_awaited;
	return &w->procs[i];
}

static void on_end(struct engine *e, struct world_proc *wp, pid_t pid, int status)
{
	proc_ended(&e->world, pid, status);
	wp->proc = NULL;
	wp->untraced = NULL;
	e->world.nlive -= wp->is_awaited;
	if (e->s->state != SESSION_DONE && wp->origin != PROC_FOLLOWED)
		report_end(e->s, pid, status);
}

/* Nobody tells of the end of a program that is not traced. */
static void reap_untraced(struct engine *e)
{
	struct world *w = &e->world;
	int status;

	for (unsigned i = 0; w->has_untraced && i < w->nprocs; i++) {
		struct untraced *u = w->procs[i].untraced;

		if (u && untraced_ended(u, &status)) {
			on_end(e, &w->procs[i], untraced_pid(u), status);
			untraced_free(u);
		}
	}
}

static void on_exited(void *arg, struct proc *p, int status)
{
	struct engine *e = arg;
	struct world *w = &e->world;

	if (e->s->target == proc_target(p))
		e->s->target = NULL;
	pid_proc_ops.exited(w, p);
	for (unsigned i = 0; i < w->nprocs; i++)
		if (w->procs[i].proc == p)
			on_end(e, &w->procs[i], proc_pid(p), status);
}

static void on_execed(void *arg, struct proc *p)
{
	pid_proc_ops.execed(&((struct engine *)arg)->world, p);
}

static void on_ready(void *arg, struct proc *p)
{
	pid_proc_ops.ready(&((struct engine *)arg)->world, p);
}

static void on_mapped(void *arg, struct proc *p)
{
	pid_proc_ops.mapped(&((struct engine *)arg)->world, p);
}

static const struct world_proc *find_proc(const struct world *w, const struct proc *p)
{
	for (unsigned i = 0; i < w->nprocs; i++)
		if (w->procs[i].proc == p)
			return &w->procs[i];
	return NULL;
}

/* A program of -c that is still on its way to us is not known: its children are let go. */
static bool on_follows(void *arg, struct proc *parent)
{
	const struct engine *e = arg;

	return !e->is_leaving && (opt_on(&e->s->options, OPT_FOLLOW) || e->world.follows_all) &&
	       find_proc(&e->world, parent);
}

static void on_followed(void *arg, struct proc *parent, struct proc *child)
{
	struct world *w = &((struct engine *)arg)->world;

	keep_proc(w, child, PROC_FOLLOWED,
		  opt_on(&w->session->options, OPT_FOLLOW) && find_proc(w, parent)->is_awaited);
	pid_proc_ops.followed(w, parent, child);
}

static bool on_blocked(void *arg)
{
	const struct engine *e = arg;

	return e->s->stop_request || front_is_gone(e);
}

static void on_began(void *arg, pid_t tid)
{
	lives_begin(&((struct engine *)arg)->s->vars->lives, tid);
}

static void on_born(void *arg, struct proc *p, struct thread *t, taddr_t tcb)
{
	pid_proc_ops.born(&((struct engine *)arg)->world, p, t, tcb);
}

static void on_left(void *arg, struct proc *p, struct thread *t)
{
	pid_proc_ops.left(&((struct engine *)arg)->world, p, t);
}

static void on_forked(void *arg, struct proc *p, taddr_t tcb, int mem_fd)
{
	pid_proc_ops.forked(&((struct engine *)arg)->world, p, tcb, mem_fd);
}

static void on_leaving(void *arg, struct proc *p)
{
	pid_proc_ops.leaving(&((struct engine *)arg)->world, p);
}

static bool has_code(void *arg, struct proc *p, taddr_t pc)
{
	return pid_proc_ops.has_code(&((struct engine *)arg)->world, p, pc);
}

static void on_faulted(void *arg, struct code_fault *f)
{
	pid_proc_ops.faulted(&((struct engine *)arg)->world, f);
}

static void on_gave_up(void *arg, struct proc *p, taddr_t pc)
{
	session_message(
		((struct engine *)arg)->s, MSG_ERR, false,
		"pid %d executes 32-bit code (at 0x%lx first): probes that it comes to there are "
		"taken out, as they are made for 64-bit code",
		proc_target(p)->pid, pc);
}

static void on_late(void *arg, struct proc *p, taddr_t addr)
{
	session_message(
		((struct engine *)arg)->s, MSG_ERR, false,
		"pid %d: its memory at 0x%lx does not come (a userfaultfd, FUSE or a network file "
		"system that does not answer): reading it fails, as if it were no address",
		proc_target(p)->pid, addr);
}

static void on_called(void *arg, const struct call_stop *c)
{
	sys_stops_called(&((struct engine *)arg)->world, c);
}

static const struct tracer_ops tracer_ops = {
	.exited = on_exited,
	.execed = on_execed,
	.ready = on_ready,
	.mapped = on_mapped,
	.follows = on_follows,
	.followed = on_followed,
	.give_up = on_blocked,
	.began = on_began,
	.born = on_born,
	.left = on_left,
	.forked = on_forked,
	.called = on_called,
	.leaving = on_leaving,
	.has_code = has_code,
	.faulted = on_faulted,
	.gave_up = on_gave_up,
	.late = on_late,
};

/* A run without one is as good, unless it is killed, or hangs. */
static void guard(struct engine *e)
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
	w->tracer = tracer_new(&tracer_ops, e, w->journal);
	fatal_prepare(on_crash, e);
	sigemptyset(&set); /* from now on it ends the wait for stops */
	sigaddset(&set, ENGINE_SIGNAL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return 0;
}

static void add_proc(struct engine *e, struct proc *p, enum proc_origin origin)
{
	struct world *w = &e->world;

	keep_proc(w, p, origin, origin != PROC_NAMED);
	if (origin != PROC_NAMED && w->nawaited++ == 0) {
		e->s->target_pid = proc_pid(p);
		e->s->target = proc_target(p);
	}
	pid_proc_ops.added(w, p);
}

static void add_untraced(struct engine *e, struct untraced *u)
{
	struct world *w = &e->world;

	keep_proc(w, NULL, PROC_COMMAND, true)->untraced = u;
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

static int grab_named(struct world *w, pid_t pid, struct err *err)
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
	keep_proc(w, p, origin, true);
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
		beat(e, MAX_WAIT_NS);
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

static int get_targets(struct engine *e, struct err *err)
{
	const struct cmdline *cmd = e->run->cmd;
	int rc = 0;

	for (unsigned i = 0; i < cmd->ntargets && rc == 0; i++) {
		const struct cmd_target *t = &cmd->targets[i];

		debug(e->s, t->command ? "launching %s" : "attaching to %s",
		      t->command ? t->command : t->pid_text);
		rc = t->command ? launch(e, t->command, err)
				: grab_target(&e->world, t, grab_one, err);
	}
	return rc;
}

/* ---- programs ---- */

static int compile_all(struct engine *e, struct err *err)
{
	const struct cmdline *cmd = e->run->cmd;
	struct session *s = e->s;

	for (unsigned i = 0; i < cmd->nsources; i++) {
		const struct source *src = &cmd->sources[i];
		struct program *prog;
		int rc;

		debug(s, "compiling %s", src->name);
		rc = dlang_compile(s, src, &prog, err);
		if (rc < 0) {
			e->failed = src;
			return rc;
		}
		if (opt_on(&s->options, OPT_VERBOSE)) {
			char *text = dlang_disassemble(prog);

			session_message(s, MSG_BARE, false, "%s", text);
			free(text);
		}
	}
	return 0;
}

static void say_failure(const struct engine *e, const struct err *err)
{
	const struct source *src = e->failed;

	if (src)
		session_message(e->s, MSG_ERR, false, "%s %.*s%s: %s",
				src->kind == SOURCE_SCRIPT ? "failed to compile script"
							   : "invalid probe specifier",
				source_shown(src), src->name, source_is_long(src) ? "..." : "",
				err->text);
	else
		session_message(e->s, MSG_ERR, false, "%s", err->text);
	e->s->fatal = 1;
}

/* How messages call a program: the text of -n up to its body. */
static int shown_length(const struct source *src)
{
	return (int)(src->kind == SOURCE_SCRIPT ? strlen(src->name) : strcspn(src->name, "{/;"));
}

static int enable_all(struct engine *e, struct err *err)
{
	struct session *s = e->s;
	unsigned total = 0;

	for (const struct program *pg = s->programs; pg; pg = pg->next) {
		int len = shown_length(pg->src);

		session_enable(s, pg);
		debug(s, "enabled %u clauses; %u probes and %u enablings in all", pg->nclauses,
		      s->nprobes, s->necbs);
		session_message(s, MSG_ERR, true, "%s '%.*s' matched %u probe%s",
				pg->src->kind == SOURCE_SCRIPT ? "script" : "description", len,
				pg->src->name, pg->nmatched, pg->nmatched == 1 ? "" : "s");
		if (e->run->cmd->is_verbose)
			report_program(s, pg, len, false);
		total += pg->nmatched + pg->may_match;
	}
	if (total == 0 && !opt_on(&s->options, OPT_ZDEFS))
		return err_set(err, -ENOENT,
			       s->programs ? "no probes matched" : "no probes specified");
	return 0;
}

/* -v: what of the kernel's facilities this user has; only where one is in use. */
static void report_features(struct engine *e)
{
	struct features *f = world_features(&e->world);

	for (enum feature i = 0; e->world.perf && i < NFEATURES; i++)
		if (feature_works(f, i))
			session_message(e->s, MSG_ERR, true, "%s works", feature_name(i));
		else
			session_message(e->s, MSG_ERR, true, "%s is missing: %s; %s",
					feature_name(i), feature_why(f, i), feature_without(i));
}

/* -v: sources are merged as far as they can be: what came too late for that is told. */
static void report_late(struct engine *e)
{
	uint64_t n = session_late_events(e->s);

	if (n && e->run->cmd->is_verbose)
		session_message(e->s, MSG_ERR, false,
				"events that came later than younger ones: %llu",
				(unsigned long long)n);
}

static int start(struct engine *e, struct err *err)
{
	struct session *s = e->s;
	int rc = enable_all(e, err);

	if (rc < 0)
		return rc;
	rc = session_start(s, err);
	if (e->run->cmd->is_verbose) {
		report_features(e);
		pid_tell_tail_calls(&e->world);
	}
	if (rc == 0)
		rc = perf_start(e->world.perf, err);
	if (rc == 0)
		rc = bpf_start(e->world.bpf, err);
	if (rc < 0)
		return err_wrap(err, "could not enable tracing");
	if (e->world.has_untraced)
		session_message(s, MSG_ERR, false, "-c runs without pid and fpid probes: %s",
				e->untraced.text);
	else if (e->untraced.code)
		session_message(s, MSG_ERR, true,
				"-c runs with hooks by a preloaded library, without pid probes: %s",
				e->untraced.text);
	if (opt_on(&s->options, OPT_DESTRUCTIVE))
		session_message(s, MSG_ERR, true, "allowing destructive actions");
	return 0;
}

/* ---- running ---- */

static struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){(time_t)(ns / 1000000000U), (long)(ns % 1000000000U)};
}

static void wait_for_signal(uint64_t ns)
{
	const struct timespec ts = to_timespec(ns);
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, ENGINE_SIGNAL);
	sigaddset(&set, SIGCHLD);
	sigtimedwait(&set, NULL, &ts);
}

/* When the timer's signal comes next; 0: it has to be set. */
static uint64_t next_alarm(const struct engine *e, uint64_t now)
{
	if (e->armed_ns > now || !e->period_ns)
		return e->armed_ns > now ? e->armed_ns : 0;
	return e->armed_ns + ((now - e->armed_ns) / e->period_ns + 1) * e->period_ns;
}

/*
 * waitpid() knows no timeout: a signal ends it. A wait of a length that is asked for again and
 * again, because nothing happens, does not set the timer each time.
 */
static void arm_timer(struct engine *e, uint64_t now, uint64_t deadline_ns)
{
	const uint64_t ns = deadline_ns - now, next = next_alarm(e, now);
	const bool is_steady = ns >= TIMER_REPEAT_NS && ns <= MAX_PERIOD_NS;
	const struct itimerspec it = {.it_value = to_timespec(deadline_ns),
				      .it_interval = to_timespec(is_steady ? ns : TIMER_REPEAT_NS)};

	if (next && next <= deadline_ns && (e->armed_ns > now || deadline_ns - next < ns / 4))
		return;
	timer_settime(e->timer, TIMER_ABSTIME, &it, NULL);
	e->armed_ns = deadline_ns;
	e->period_ns = is_steady ? ns : 0;
}

static void wait_for_something(struct engine *e, uint64_t deadline_ns)
{
	uint64_t now = session_now(e->s);

	deadline_ns = MIN(deadline_ns, now + MAX_WAIT_NS);
	if (e->world.tracer && tracer_nprocs(e->world.tracer) > 0) {
		if (deadline_ns <= now) { /* a source has more: stops have their turn */
			tracer_poll(e->world.tracer);
			return;
		}
		arm_timer(e, now, deadline_ns);
		tracer_wait(e->world.tracer, deadline_ns);
	} else if (deadline_ns > now) {
		wait_for_signal(deadline_ns - now);
	}
}

/* Its end is a signal, too, which ends a wait; one system call for each wait is one too many. */
static bool looks_for_front(struct engine *e)
{
	const uint64_t now = session_now(e->s);

	if (now < e->looks_ns)
		return false;
	e->looks_ns = now + MAX_WAIT_NS;
	return true;
}

static void loop(struct engine *e)
{
	struct session *s = e->s;
	struct world *w = &e->world;
	uint64_t deadline_ns;

	while (s->state == SESSION_ACTIVE && !s->stop_request) {
		pulse();
		reap_untraced(e);
		if (w->nawaited > 0 && w->nlive == 0)
			return;
		deadline_ns = MIN(session_run_timers(s), pid_proc_ops.poll(w));
		deadline_ns = MIN(deadline_ns, session_run_sources(s));
		session_swap_aggs(s);
		if (s->state != SESSION_ACTIVE)
			return;
		wait_for_something(e, deadline_ns);
		if (looks_for_front(e) && front_is_gone(e)) {
			e->is_orphan = true;
			return;
		}
	}
}

/*
 * What was said before the programs run is read before what they say: a terminal shows both. The
 * front may be stopped, or its reader may not read: then they are not kept waiting.
 */
#define SHOW_TRIES   2000
#define SHOW_WAIT_NS 100000

static bool is_all_shown(const struct session *s)
{
	return atomic_load(&s->messages_shown) == s->messages_tail &&
	       (s->was_begun || !s->begin_probe->ecbs);
}

static void await_messages(struct engine *e)
{
	const struct timespec ts = to_timespec(SHOW_WAIT_NS);

	for (unsigned i = 0; i < SHOW_TRIES && !front_is_gone(e) && !is_all_shown(e->s); i++)
		nanosleep(&ts, NULL);
}

static int resume_all(struct world *w, struct err *err)
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

/* From BEGIN to END. False: exit() was called before the programs could run. */
static bool trace(struct engine *e)
{
	struct session *s = e->s;
	bool has_run = s->state == SESSION_ACTIVE;
	struct err err;

	if (has_run)
		await_messages(e);
	/* said before END, after which nobody listens */
	if (has_run && resume_all(&e->world, &err) < 0)
		say_failure(e, &err);
	else
		loop(e);
	perf_stop(e->world.perf);
	bpf_stop(e->world.bpf);
	report_late(e);
	pushed_say_records(&e->world);
	session_finish(s);
	return has_run;
}

/* An orderly end takes the programs of -c with it; the death of the front does not. */
static void release_procs(struct engine *e, bool has_run)
{
	struct world *w = &e->world;

	e->is_leaving = true;
	for (unsigned i = 0; i < w->nprocs; i++) {
		const struct world_proc *wp = &w->procs[i];

		pulse();
		if (wp->untraced && e->is_orphan && has_run)
			untraced_free(wp->untraced);
		else if (wp->untraced)
			untraced_kill(wp->untraced);
		if (!wp->proc)
			continue;
		if (wp->origin == PROC_COMMAND && !(e->is_orphan && has_run)) {
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

static void detach_all(void *arg)
{
	struct engine *e = arg;
	struct world *w = &e->world;

	e->is_leaving = true;
	for (unsigned i = 0; i < w->nprocs; i++)
		if (w->procs[i].proc)
			tracer_detach(w->procs[i].proc);
}

/* With fewer, what cannot be opened is taken for what is not there by libraries, too. */
static int check_files(struct err *err)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) < 0 || rl.rlim_cur >= FILES_MIN)
		return 0;
	return err_set(err, -EMFILE, "too few files may be open (%llu): raise ulimit -n to %u",
		       (unsigned long long)rl.rlim_cur, FILES_MIN);
}

static int prepare(struct engine *e, struct err *err)
{
	int rc;

	session_init_engine(e->s);
	e->world.session = e->s;
	e->world.grab = grab_named;
	e->world.engine = e;
	e->s->world = &e->world;
	e->world.is_verbose = e->run->cmd->is_verbose;
	e->s->typesource = &kernel_typesource;
	guard(e);
	rc = check_files(err);
	if (rc == 0)
		rc = probes_provide(e->s, err);
	if (rc == 0)
		rc = get_targets(e, err);
	if (rc == 0 && e->run->cmd->mode == MODE_LIST && !e->run->cmd->nsources)
		rc = probes_provide_all(e->s, err);
	if (rc == 0 && e->run->cmd->mode == MODE_LIST && e->run->cmd->is_verbose)
		rc = dlang_prepare(e->s, err); /* libraries say what args[] are */
	if (rc == 0)
		rc = compile_all(e, err);
	if (rc == 0)
		rc = dlang_write_types(e->s, err);
	return rc;
}

int engine_main(const struct run *r)
{
	struct engine e = {.run = r, .s = r->session};
	struct session *s = e.s;
	bool has_run = false;
	struct err err;
	int rc;

	set_signals();
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, ENGINE_SIGNAL);
	if (front_is_gone(&e))
		return 1;
	die_cleanup(detach_all, &e);
	helper_prepare(on_blocked, &e);
	endreq_set(on_blocked, &e);
	rc = prepare(&e, &err);
	if (rc == 0 && r->cmd->mode == MODE_LIST) {
		list_probes(s, s->programs, r->cmd->is_verbose);
		if (!r->cmd->nsources)
			tracefs_keep(world_tracefs(&e.world));
	} else if (rc == 0 && r->cmd->mode == MODE_COMPILE && r->cmd->is_verbose) {
		for (const struct program *pg = s->programs; pg; pg = pg->next)
			report_program(s, pg, shown_length(pg->src), true);
	} else if (rc == 0 && r->cmd->mode == MODE_HEADER) {
		rc = make_header(s, r->cmd, &err);
	} else if (rc == 0 && r->cmd->mode == MODE_LINK) {
		rc = make_objects(s, r->cmd, &err);
	} else if (rc == 0 && r->cmd->mode == MODE_TRACE) {
		s->is_arming = 1;
		rc = start(&e, &err);
		s->is_arming = 0;
		session_wake(s);
		if (rc == 0)
			has_run = trace(&e);
	}
	if (rc < 0)
		say_failure(&e, &err);
	debug(s, "releasing %u processes", e.world.nprocs);
	session_set_state(s, SESSION_DONE);
	release_procs(&e, has_run);
	bpf_free(e.world.bpf);
	perf_free(e.world.perf);
	tracefs_free(e.world.tracefs);
	world_kernsyms_free(&e.world);
	helper_end();
	if (s->watchdog)
		watchdog_stop(s->watchdog);
	return 0;
}
