#include "command/live/live.h"
#include "command/report/report.h"
#include "command/serve/serve.h"
#include "command/engine.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/endreq.h"
#include "base/helper.h"
#include "base/strbuf.h"
#include "command/engine_priv.h"
#include "command/usdt_make.h"
#include "dlang/session_engine.h"
#include "providers/hits/procfacts.h"
#include "providers/kernel/bpf.h"
#include "providers/kernel/features.h"
#include "providers/kernel/kprog/kernmem.h"
#include "providers/kernel/perf.h"
#include "providers/kernel/pushreport.h"
#include "providers/pid/pid.h"
#include "providers/perfdata/perfdata.h"
#include "providers/providers.h"
#include "providers/system/signalproc.h"
#include "tracer/janitor/watchdog.h"

#define FILES_MIN 32U

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

bool engine_front_is_gone(const struct engine *e)
{
	return getppid() != e->s->front_pid;
}

void engine_debug(struct session *s, const char *fmt, ...)
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

/* ---- programs ---- */

static int compile_all(struct engine *e, struct err *err)
{
	const struct cmdline *cmd = e->run->cmd;
	struct session *s = e->s;

	for (unsigned i = 0; i < cmd->nsources; i++) {
		const struct source *src = &cmd->sources[i];
		struct program *prog;
		int rc;

		engine_debug(s, "compiling %s", src->name);
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

/* An option that is accepted because scripts give it, but that changes nothing, is told. */
static void tell_unheeded(struct session *s)
{
	for (unsigned i = 0; i < NOPTS; i++) {
		const char *why = options_unheeded(&s->options, i);

		if (why)
			session_message(s, MSG_ERR, true, "option %s has no effect: %s",
					options_name(i), why);
	}
}

static int enable_all(struct engine *e, struct err *err)
{
	struct session *s = e->s;
	unsigned total = 0;

	tell_unheeded(s);
	for (const struct program *pg = s->programs; pg; pg = pg->next) {
		int len = shown_length(pg->src);

		session_enable(s, pg);
		engine_debug(s, "enabled %u clauses; %u probes and %u enablings in all",
			     pg->nclauses, s->nprobes, s->necbs);
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
	struct perf *perf;
	int rc = report_check_names(s, err);

	if (rc == 0)
		rc = enable_all(e, err);
	if (rc < 0)
		return rc;
	if (e->world.recording) /* ticks go by its time, whoever needs its events */
		rc = world_perf(&e->world, &perf, err);
	if (rc == 0 && e->world.recording)
		rc = procfacts_replay(&e->world, err);
	if (rc == 0)
		rc = engine_begin_log(e, err);
	if (rc == 0)
		rc = engine_begin_rewriting(e, err);
	if (rc == 0)
		rc = session_start(s, err);
	engine_time_log(e);
	if (e->run->cmd->is_verbose) {
		report_features(e);
		pid_tell_tail_calls(&e->world);
	}
	if (rc == 0)
		rc = session_start_sources(s, err);
	if (rc < 0)
		return err_wrap(err, "could not enable tracing");
	procfacts_begin(&e->world);
	placements_tell(s);
	if (e->world.has_untraced)
		session_message(s, MSG_ERR, false, "-c runs without pid and fpid probes: %s",
				e->untraced.text);
	else if (e->untraced.code)
		session_message(s, MSG_ERR, true,
				"-c runs with hooks by a preloaded library, without pid probes: %s",
				e->untraced.text);
	engine_tell_log(e);
	if (opt_on(&s->options, OPT_DESTRUCTIVE))
		session_message(s, MSG_ERR, true, "allowing destructive actions");
	return 0;
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
	const struct timespec ts = {.tv_nsec = SHOW_WAIT_NS};

	for (unsigned i = 0; i < SHOW_TRIES && !engine_front_is_gone(e) && !is_all_shown(e->s); i++)
		nanosleep(&ts, NULL);
}

/* From BEGIN to END. exit() may be called before the programs can run. */
static void trace(struct engine *e)
{
	struct session *s = e->s;
	struct err err;

	e->has_run = s->state == SESSION_ACTIVE;
	if (e->has_run)
		await_messages(e);
	/* said before END, after which nobody listens */
	if (e->has_run && engine_resume_all(&e->world, &err) < 0)
		say_failure(e, &err);
	else if (e->world.recording)
		engine_replay(e);
	else
		engine_loop(e);
	session_stop_sources(s);
	placements_tell_lost(s);
	engine_end_log(e);
	report_late(e);
	engine_report_recording(e);
	pushdown_report_records(&e->world);
	session_finish(s);
}

/* -x lockmem: buffers of perf_event count as locked memory of whoever has no CAP_IPC_LOCK. */
static void limit_locked_memory(struct session *s)
{
	int64_t n = opt(&s->options, OPT_LOCKMEM);
	rlim_t wanted = n == INT64_MAX ? RLIM_INFINITY : (rlim_t)n;
	struct rlimit rl;

	if (n == OPT_UNSET || getrlimit(RLIMIT_MEMLOCK, &rl) < 0)
		return;
	rl.rlim_cur = wanted;
	rl.rlim_max = MAX(rl.rlim_max, wanted);
	if (setrlimit(RLIMIT_MEMLOCK, &rl) == 0)
		return;
	getrlimit(RLIMIT_MEMLOCK, &rl);
	rl.rlim_cur = MIN(wanted, rl.rlim_max);
	setrlimit(RLIMIT_MEMLOCK, &rl);
	session_message(s, MSG_ERR, false,
			"option lockmem: the limit of locked memory is %llu bytes: ulimit -l says "
			"how much an ordinary user may have",
			(unsigned long long)rl.rlim_cur);
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

/* What a program reads in BEGIN, END and ticks where nobody is traced. */
static ssize_t read_front(struct target *t, taddr_t addr, void *buf, size_t n)
{
	const struct iovec to = {buf, n}, from = {(void *)(uintptr_t)addr, n};
	ssize_t got = process_vm_readv(t->pid, &to, 1, &from, 1, 0);

	return got < 0 ? -errno : got;
}

static int prepare(struct engine *e, struct err *err)
{
	int rc;

	session_init_engine(e->s);
	e->world.session = e->s;
	e->world.grab = engine_grab_named;
	e->world.engine = e;
	e->s->engine->world = &e->world;
	e->front = (struct target){.pid = e->s->front_pid, .read = read_front};
	e->s->engine->self = &e->front;
	e->world.is_verbose = e->run->cmd->is_verbose;
	e->s->engine->typesource = &kernel_typesource;
	e->s->engine->kernelmem = &kernel_memory;
	e->s->engine->signal_process = world_signal_process;
	if (!e->run->cmd->recording)
		engine_guard(e);
	rc = check_files(err);
	if (rc == 0 && e->run->cmd->recording)
		rc = engine_open_recording(e, err);
	if (rc == 0 && e->run->cmd->rewritten)
		engine_open_rewriting(e);
	if (rc == 0 && e->run->cmd->log)
		rc = engine_open_log(e, err);
	if (rc == 0)
		rc = probes_provide(e->s, err);
	if (rc == 0)
		rc = engine_get_targets(e, err);
	if (rc == 0 && e->run->cmd->mode == MODE_LIST && !e->run->cmd->nsources)
		rc = probes_provide_all(e->s, err);
	if (rc == 0 && e->run->cmd->mode == MODE_LIST && e->run->cmd->is_verbose)
		rc = dlang_prepare(e->s, err); /* libraries say what args[] are */
	if (rc == 0)
		rc = compile_all(e, err);
	if (rc == 0)
		limit_locked_memory(e->s);
	if (rc == 0)
		rc = dlang_write_types(e->s, err);
	return rc;
}

/* ---- the modes ---- */

static int list_mode(struct engine *e, struct err *err)
{
	if (e->world.recording && !e->run->cmd->is_verbose)
		return engine_list_recording(e, err);
	if (e->run->cmd->is_verbose && !e->world.recording) {
		e->world.is_verbose = false; /* the list says it */
		session_foresee(e->s);
		bpf_foresee(&e->world);
	}
	list_probes(e->s, e->s->programs, e->run->cmd->is_verbose);
	if (!e->run->cmd->nsources)
		tracefs_keep(world_tracefs(&e->world));
	return 0;
}

static int compile_mode(struct engine *e, struct err *err UNUSED)
{
	for (const struct program *pg = e->s->programs; pg && e->run->cmd->is_verbose;
	     pg = pg->next)
		report_program(e->s, pg, shown_length(pg->src), true);
	return 0;
}

static int header_mode(struct engine *e, struct err *err)
{
	return make_header(e->s, e->run->cmd, err);
}

static int link_mode(struct engine *e, struct err *err)
{
	return make_objects(e->s, e->run->cmd, err);
}

static int trace_mode(struct engine *e, struct err *err)
{
	struct session *s = e->s;
	int rc;

	s->is_arming = 1;
	rc = start(e, err);
	s->is_arming = 0;
	session_wake(s);
	if (rc == 0)
		trace(e);
	return rc;
}

/* What is done with programs that have compiled. */
static int (*const modes[])(struct engine *, struct err *) = {
	[MODE_TRACE] = trace_mode,   [MODE_LIST] = list_mode, [MODE_COMPILE] = compile_mode,
	[MODE_HEADER] = header_mode, [MODE_LINK] = link_mode,
};

int engine_main(const struct run *r)
{
	struct engine e = {.run = r, .s = r->session};
	struct session *s = e.s;
	struct err err;
	int rc;

	set_signals();
	stage_share(&s->stages, NULL, NULL);
	serve_forget(r->server);
	live_give_streams(r->live);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, ENGINE_SIGNAL);
	if (engine_front_is_gone(&e))
		return 1;
	die_cleanup(engine_detach_all, &e);
	helper_prepare(engine_gives_up, &e);
	endreq_set(engine_gives_up, &e);
	rc = prepare(&e, &err);
	if (rc == 0)
		rc = modes[r->cmd->mode](&e, &err);
	if (rc < 0)
		say_failure(&e, &err);
	engine_debug(s, "releasing %u processes", e.world.nprocs);
	session_set_state(s, SESSION_DONE);
	engine_release_procs(&e);
	engine_free_rewriting(&e);
	providers_free(&e.world);
	perfdata_free(e.world.recording);
	engine_free_log(&e);
	helper_end();
	if (s->watchdog)
		watchdog_stop(s->watchdog);
	return 0;
}
