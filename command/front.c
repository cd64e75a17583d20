#include "command/front.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/endreq.h"
#include "dlang/print/consume.h"
#include "dlang/print/drops.h"
#include "command/enginegone.h"
#include "command/live/colors.h"
#include "command/live/live.h"
#include "command/recording/progress.h"
#include "command/report/report.h"
#include "command/serve/push.h"
#include "command/serve/serve.h"
#include "command/summary.h"
#include "tracer/journal/journal.h"
#include "tracer/janitor/watchdog.h"
#include "symbols/jit.h"

#define MAX_STATUS_NS 10000000000U /* drops are looked for at least this often */
#define LOOK_NS	      100000000U   /* at an engine that is to end */
#define PAGE_NS	      100000000U   /* readers of metrics share what is no older */
#define IMPATIENT_NS  3000000000U  /* what it still has after a second ^C */

struct front {
	const struct run *run;
	struct session *s;
	struct consumer *consumer; /* NULL: it is over, with so many records */
	uint64_t nrecords;
	struct live *live;		/* -x live=full; NULL: none */
	struct report_history *history; /* NULL: no report needs it, or tracing has not begun */
	pid_t engine;
	bool engine_is_dead;
	int engine_status;
	bool is_broken;	    /* the output is */
	bool has_no_report; /* or not all that were wanted (-x report) */
	bool is_stopping;
	bool has_history; /* it has been decided */
	bool has_begun;	  /* tracing, at least BEGIN */
	struct progress progress;
	struct stages stages; /* what this half is at */
	uint64_t progress_ns; /* when that is shown next */
	uint64_t began_ns;    /* by the realtime clock */
	uint64_t next_aggs_ns, next_status_ns;
	uint64_t page_ns; /* when metrics were last read from the engine */
};

/* One per process by nature: what signal handlers can reach. */
static _Atomic unsigned interrupts;
static _Atomic int interrupt_signal;
static _Atomic uint32_t *wake_word;
static _Atomic int was_resized, is_to_stop;
static _Atomic unsigned nquestions;

/* Moves the futex word, so that a wait about to begin does not sleep over the signal. */
static void on_interrupt(int sig)
{
	atomic_store(&interrupt_signal, sig);
	atomic_fetch_add(&interrupts, 1);
	atomic_fetch_add(wake_word, 1);
}

/* What is drawn on the terminal is drawn anew at once. */
static void on_resize(int sig UNUSED)
{
	atomic_store(&was_resized, 1);
	atomic_fetch_add(wake_word, 1);
}

/* ^Z while a view is on the terminal, which has to be put back first. */
static void on_stop(int sig UNUSED)
{
	atomic_store(&is_to_stop, 1);
	atomic_fetch_add(wake_word, 1);
}

/* A child has ended (SIGCHLD), or somebody asks for metrics or presses a key (SIGIO). */
static void on_news(int sig UNUSED)
{
	atomic_fetch_add(wake_word, 1);
}

/* After one ^C what has been seen is printed still, and its names are looked for. */
static bool is_impatient(void *arg UNUSED)
{
	return interrupts > 1;
}

/* SIGUSR1: what a ring of events has is to be written, or, without one, how far it is. */
static void on_question(int sig UNUSED)
{
	atomic_fetch_add(&nquestions, 1);
	atomic_fetch_add(wake_word, 1);
}

static void catch_signal(int sig, void (*fn)(int), int sa_flags)
{
	struct sigaction sa = {.sa_handler = fn, .sa_flags = sa_flags};

	sigaction(sig, &sa, NULL);
}

/*
 * Our own writes to a closed pipe are seen as EPIPE; a SIGPIPE that somebody sent has its usual
 * effect. A handler, not SIG_IGN: the commands of system() must not inherit it.
 */
static void on_pipe(int sig, siginfo_t *si, void *context UNUSED)
{
	if (si->si_pid == getpid())
		return;
	catch_signal(sig, SIG_DFL, 0);
	raise(sig);
}

static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

void front_accept_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (unsigned i = 0; i < ARRAY_SIZE(ends); i++) {
		catch_signal(ends[i], SIG_DFL, 0);
		sigaddset(&set, ends[i]);
	}
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void set_signals(struct front *f)
{
	struct sigaction pipe_action = {.sa_sigaction = on_pipe,
					.sa_flags = SA_SIGINFO | SA_RESTART};
	sigset_t mask = f->run->sigmask;

	wake_word = &f->s->wake;
	for (unsigned i = 0; i < ARRAY_SIZE(ends); i++) {
		catch_signal(ends[i], on_interrupt, 0);
		sigdelset(&mask, ends[i]);
	}
	sigdelset(&mask, SIGCHLD); /* the end of the engine wakes us */
	sigaction(SIGPIPE, &pipe_action, NULL);
	catch_signal(SIGWINCH, on_resize, SA_RESTART);
	catch_signal(SIGCHLD, on_news, SA_RESTART | SA_NOCLDSTOP);
	catch_signal(SIGIO, on_news, SA_RESTART);
	sigdelset(&mask, SIGIO);
	catch_signal(SIGUSR1, on_question, SA_RESTART);
	sigdelset(&mask, SIGUSR1);
	sigprocmask(SIG_SETMASK, &mask, NULL);
}

/* Sleeps until the wake word is no longer `seen`, or until a time of the session clock. */
static void wait_word(struct front *f, uint32_t seen, uint64_t until_ns)
{
	struct timespec ts = {(time_t)(until_ns / 1000000000U), (long)(until_ns % 1000000000U)};

	/* FUTEX_WAIT_BITSET: the timeout is a point of CLOCK_MONOTONIC */
	syscall(SYS_futex, &f->s->wake, FUTEX_WAIT_BITSET, seen, &ts, NULL, FUTEX_BITSET_MATCH_ANY);
}

static void look_after_engine(struct front *f)
{
	if (!f->engine_is_dead && waitpid(f->engine, &f->engine_status, WNOHANG) == f->engine)
		f->engine_is_dead = true;
}

/* The engine has to come to its end, or the watchdog ends it. There may not be one yet: again and
 * again. */
static void urge(const struct front *f)
{
	if (f->s->watchdog)
		watchdog_urge(f->s->watchdog, interrupts > 1 ? WATCHDOG_AT_ONCE : WATCHDOG_END);
}

/* A ring is written as often as it has been asked for. */
static void answer(struct front *f)
{
	const unsigned n = atomic_exchange(&nquestions, 0);

	if (!n)
		return;
	if (!f->run->cmd->log || opt(&f->s->options, OPT_LOGRING) == OPT_UNSET) {
		if (!live_is_shown(f->live))
			progress_answer(&f->progress,
					f->consumer ? consumer_records(f->consumer) : f->nrecords);
		return;
	}
	atomic_fetch_add(&f->s->dump_request, n);
	kill(f->engine, ENGINE_SIGNAL);
}

static void request_stop(struct front *f)
{
	f->is_stopping = true;
	f->s->stop_request = 1;
	kill(f->engine, ENGINE_SIGNAL);
}

/* ---- snapshots ---- */

/* The table that the engine no longer adds to. */
static struct aggtable *snapshot(void *arg)
{
	struct front *f = arg;
	struct session *s = f->s;
	uint32_t asked, seen;

	if (s->state < SESSION_READY || s->fatal)
		return NULL;
	asked = atomic_fetch_add(&s->snap_request, 1) + 1;
	kill(f->engine, ENGINE_SIGNAL);
	for (;;) {
		seen = s->wake;
		if (s->snap_done == asked)
			return s->aggtables[s->agg_active ^ 1];
		if (s->state == SESSION_DONE) /* nobody adds any more */
			return s->aggtables[s->agg_active];
		look_after_engine(f);
		if (f->engine_is_dead || interrupts > 1)
			return NULL;
		if (interrupts > 0 || f->is_stopping) {
			s->stop_request = 1; /* what it takes in first may be much */
			urge(f);
		}
		wait_word(f, seen, UINT64_MAX);
	}
}

/* ---- the work cycle ---- */

static uint64_t rate(const struct front *f, enum opt_id id)
{
	int64_t ns = opt(&f->s->options, id);

	return ns > 0 ? (uint64_t)ns : 0;
}

static void broken_output(struct front *f, const struct err *err)
{
	if (f->is_broken)
		return;
	f->is_broken = true;
	/* `| head` is how the first lines are read: who has them wants no more */
	if (err->code != -EPIPE || f->run->cmd->output)
		fprintf(stderr, "%s: %s\n", f->s->progname, err->text);
	request_stop(f);
}

/*
 * What BEGIN prints is what people wait for before they start what is to be traced: it is held back
 * until the last probe is at work, unless it is so much that it would be lost. After an exit() it
 * is held back until all has been aggregated: the last printa() shows all.
 */
static bool is_held_back(const struct front *f)
{
	return (f->s->is_arming || f->s->state == SESSION_DRAINING) && !f->s->read_now &&
	       !f->engine_is_dead && interrupts < 2;
}

static void work(struct front *f)
{
	struct err err;
	int rc = 0;

	if (f->is_broken)
		return;
	if (is_held_back(f)) {
		rc = consumer_messages(f->consumer, &err);
	} else {
		bool is_begun = !f->s->is_arming;

		f->s->read_now = 0;
		rc = consumer_work(f->consumer, &err);
		f->s->was_begun = is_begun;
	}
	if (rc < 0)
		broken_output(f, &err);
}

/* With -x live not more seldom than its drawings. */
static uint64_t aggs_interval(const struct front *f)
{
	uint64_t live_ns = live_interval_ns(f->live), ns = rate(f, OPT_AGGRATE);

	if (!live_ns)
		live_ns = consumer_live_ns(f->consumer);
	return live_ns ? MIN(ns, live_ns) : ns;
}

static struct report_data data_now(struct front *f)
{
	struct report_data data = {.session = f->s, .began_ns = f->began_ns};

	data.aggs = consumer_account(f->consumer, &data.pr);
	data.lines = consumer_lines(f->consumer);
	data.history = f->history;
	data.baseline = f->run->baseline;
	data.nrecords = consumer_records(f->consumer);
	return data;
}

/* What the snapshot holds may have been printed by a record that came with it: records first. */
static void show_live(struct front *f)
{
	struct report_data data;
	struct err err;

	if (live_is_shown(f->live)) {
		data = data_now(f);
		data.aggs = consumer_lines(f->consumer);
		live_update(f->live, &data);
	}
	if (!consumer_live_ns(f->consumer))
		return;
	work(f);
	if (!f->is_broken && consumer_live(f->consumer, &err) < 0)
		broken_output(f, &err);
}

static void renew_reports(struct front *f)
{
	struct report_data data;

	if (!report_is_renewed(&f->s->options))
		return;
	data = data_now(f);
	data.is_silent = true;
	report_renew(&data);
}

/* Options are what they are once tracing can begin, and nothing has been consumed before. */
static void begin_history(struct front *f)
{
	if (f->has_history || f->s->state < SESSION_READY)
		return;
	f->has_history = true;
	f->history = report_history_new(f->s);
	if (!f->history)
		return;
	consumer_keep_interval(f->consumer);
	if (report_history_has_records(f->history))
		consumer_watch(f->consumer, report_history_record, f->history);
}

static void end_interval(struct front *f)
{
	struct aggstore aggs;

	consumer_take_interval(f->consumer, &aggs);
	report_history_interval(f->history, &aggs);
}

/* Who asks often costs the engine no more than who asks ten times a second. */
static struct report_data fresh_data(struct front *f)
{
	struct report_data data;

	begin_history(f);
	if (f->s->state >= SESSION_READY && now_mono() >= f->page_ns + PAGE_NS) {
		consumer_snapshot(f->consumer);
		f->page_ns = now_mono();
	}
	data = data_now(f);
	data.is_silent = true;
	return data;
}

static void make_page(void *arg, bool is_openmetrics, struct strbuf *out)
{
	struct report_data data = fresh_data(arg);

	report_metrics(&data, is_openmetrics, out);
}

static void make_request(void *arg, bool is_json, struct strbuf *out)
{
	struct report_data data = fresh_data(arg);

	report_otlp(&data, is_json, out);
}

/* Before the records of a cycle: those of printa() show it. At a steady rate: a tick of the same
 * rate that wakes us is not to show what was a second ago because it came a little early. */
static void read_aggs(struct front *f)
{
	uint64_t now = now_mono(), interval = aggs_interval(f);

	if (f->is_broken || f->s->state < SESSION_READY || f->s->state == SESSION_DONE)
		return;
	if (!live_is_shown(f->live) && atomic_exchange(&was_resized, 0) &&
	    consumer_live_ns(f->consumer))
		f->next_aggs_ns = now;
	if (f->next_aggs_ns == UINT64_MAX) /* tracing has begun, and options are what they are */
		f->next_aggs_ns = now + interval;
	if (now + interval / 16 < f->next_aggs_ns)
		return;
	consumer_snapshot(f->consumer);
	if (f->history && report_history_is_due(f->history))
		end_interval(f);
	show_live(f);
	renew_reports(f);
	f->next_aggs_ns += interval;
	if (f->next_aggs_ns <= now)
		f->next_aggs_ns = now + interval;
}

/* Where nothing is printed any more, `| head` is not noticed by writing. */
static void see_reader(struct front *f)
{
	struct pollfd out = {.fd = STDOUT_FILENO};
	struct err err;

	if (f->run->cmd->output || poll(&out, 1, 0) <= 0 || !(out.revents & POLLERR))
		return;
	err_set(&err, -EPIPE, "failed to write to <stdout>: %s", strerror(EPIPE));
	broken_output(f, &err);
}

static void periodic_work(struct front *f)
{
	uint64_t now = now_mono();

	if (f->is_broken || f->s->state < SESSION_READY)
		return;
	if (now >= f->next_status_ns) {
		see_reader(f);
		drops_report(f->consumer);
		f->next_status_ns = now + MIN(rate(f, OPT_STATUSRATE), MAX_STATUS_NS);
	}
}

/* A signal before tracing has begun has its usual effect. Whoever starts us again at once finds the
 * processes free. */
static void die_of_interrupt(struct front *f)
{
	request_stop(f);
	if (!f->engine_is_dead)
		enginegone_await(f->engine, is_impatient);
	catch_signal(interrupt_signal, SIG_DFL, 0);
	raise(interrupt_signal);
}

/* -x live=full: there is something to see from when tracing has begun. */
static void work_live(struct front *f)
{
	bool is_asked =
		opt_on(&f->s->options, OPT_LIVE) && opt(&f->s->options, OPT_LIVE) != LIVE_ON;

	if (!is_asked || !f->has_begun || f->s->is_arming || f->is_stopping || f->is_broken)
		return;
	if (!f->live) /* by a pragma: nobody knew before */
		f->live = live_new(&f->s->options, cmdline_starts_program(f->run->cmd));
	if (f->live && !live_is_shown(f->live)) {
		if (!live_begin(f->live, f->s)) {
			f->s->options.num[OPT_LIVE] = LIVE_ON;
			return;
		}
		catch_signal(SIGTSTP, on_stop, SA_RESTART);
	}
	if (atomic_exchange(&is_to_stop, 0) && live_is_shown(f->live))
		live_stop(f->live);
	if (!live_work(f->live, atomic_exchange(&was_resized, 0)))
		request_stop(f);
}

/* Returns when the session is over, the engine is dead, or the user is impatient. */
static void loop(struct front *f)
{
	struct session *s = f->s;

	for (;;) {
		uint32_t seen = s->wake;
		enum session_state state = s->state;
		uint64_t until, progress_ns, serve_ns;

		progress_clear(&f->progress);
		look_after_engine(f);
		/* read anew: it may have begun, and been killed, since `state` was read */
		f->has_begun |= s->state > SESSION_SETUP && !s->fatal;
		if (interrupts > 0 && state == SESSION_SETUP)
			die_of_interrupt(f);
		if (interrupts > 0 && !f->is_stopping &&
		    (state != SESSION_DONE || s->stop_request)) {
			consumer_interrupted(f->consumer);
			request_stop(f);
		}
		if (f->is_stopping)
			urge(f);
		answer(f);
		work_live(f);
		begin_history(f);
		read_aggs(f);
		work(f);
		if (state == SESSION_DONE || f->engine_is_dead || interrupts > 1)
			return;
		periodic_work(f);
		serve_ns = serve_work(f->run->server, make_page, f);
		if (f->has_begun)
			serve_ns = MIN(serve_ns, push_work(f->run->pusher, make_request, f));
		until = now_mono() + MAX(rate(f, OPT_SWITCHRATE), 1000000U);
		until = MIN(until, MAX(f->next_aggs_ns, now_mono() + 1000000U));
		progress_ns = progress_show(&f->progress);
		wait_word(f, seen, MIN(MIN(until, progress_ns), serve_ns));
	}
}

/* ---- the end ---- */

/* While reports are written, and nothing else is. */
static void on_stage(void *arg, bool is_hidden)
{
	struct front *f = arg;

	if (is_hidden) {
		progress_clear(&f->progress);
		return;
	}
	answer(f);
	if (now_mono() >= f->progress_ns)
		f->progress_ns = progress_show(&f->progress);
}

static void write_reports(struct front *f)
{
	struct report_data data;
	struct strbuf targets;

	if (!report_is_wanted(&f->s->options))
		return;
	if (f->history) {
		end_interval(f);
		report_history_end(f->history);
	}
	data = data_now(f);
	strbuf_init(&targets);
	summary_targets(f->s, f->run->cmd, &targets);
	data.targets = targets.len ? targets.s : NULL;
	f->progress.stages = &f->stages;
	f->progress_ns = 0;
	stage_share(&f->stages, on_stage, f);
	f->has_no_report |= !report_write(&data);
	strbuf_release(&targets);
	stage_share(NULL, NULL, NULL);
	progress_end(&f->progress);
	f->progress.stages = &f->s->stages;
}

static void finish(struct front *f)
{
	struct err err;

	if (f->is_broken)
		return;
	if (interrupts > 1) { /* impatient: only the closing newline */
		consumer_give_up(f->consumer);
		return;
	}
	progress_show(&f->progress); /* a short run was over before it was seen at work */
	consumer_snapshot(f->consumer);
	drops_report(f->consumer);
	drops_explain(f->consumer);
	if (consumer_finish(f->consumer, &err) < 0)
		broken_output(f, &err);
	write_reports(f);
	f->has_no_report |= !push_end(f->run->pusher, make_request, f, is_impatient);
}

static bool is_stuck(const struct front *f)
{
	return f->s->watchdog && f->s->watchdog->state == WATCHDOG_STUCK;
}

/*
 * Its end is short, or the watchdog makes it so. Who is impatient is not kept from his prompt for
 * long by one that still takes out what it has put into programs.
 */
static void await_engine(struct front *f)
{
	uint64_t impatient_ns = 0;

	while (!f->engine_is_dead && !is_stuck(f)) {
		uint32_t seen = f->s->wake;
		uint64_t now = now_mono();

		urge(f);
		look_after_engine(f);
		if (f->engine_is_dead)
			break;
		if (interrupts > 1 && !impatient_ns)
			impatient_ns = now + IMPATIENT_NS;
		if (interrupts > 1 && now >= impatient_ns)
			break;
		answer(f);
		progress_show(&f->progress);
		wait_word(f, seen, now + LOOK_NS);
	}
	progress_end(&f->progress);
}

/* -x core: a failure leaves one, as far as the hard limit permits. */
static NORETURN void dump_core(void)
{
	struct rlimit limit = {0, 0};

	getrlimit(RLIMIT_CORE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_CORE, &limit);
	abort();
}

/* The last line on the terminal, before the engine is waited for. */
static void sum_up(const struct front *f, bool is_done)
{
	const struct session *s = f->s;
	const struct summary sum = {
		.end = s->fatal || !is_done || f->is_broken ? SUMMARY_FAILED
		       : interrupts > 0			    ? SUMMARY_INTERRUPTED
							    : SUMMARY_OVER,
		.nrecords = consumer_records(f->consumer),
		.has_engine = !f->engine_is_dead,
		.ends_programs = interrupts > 0 || s->exit_called || f->is_broken,
	};

	if (f->run->cmd->mode == MODE_TRACE && f->has_begun)
		summary_show(s, f->run->cmd, &sum);
}

/* Maps of generated code are those of the recorded processes. */
static void know_recording(const char *path)
{
	struct stat st;

	if (path)
		jit_recorded(path, stat(path, &st) == 0 ? st.st_mtime : time(NULL));
}

int front_main(const struct run *r, pid_t engine, FILE *out, const char *out_name)
{
	struct front f = {.run = r, .s = r->session, .engine = engine, .live = r->live};
	struct session *s = f.s;
	bool is_done, has_lost;

	set_signals(&f);
	endreq_set(is_impatient, NULL);
	know_recording(r->cmd->recording);
	colors_decide(s, out);
	f.began_ns = clock_ns(CLOCK_REALTIME);
	f.consumer = consumer_new(s, out, out_name, snapshot, &f);
	if (r->cmd->is_dump)
		consumer_dump(f.consumer);
	if (r->cmd->mode != MODE_TRACE)
		consumer_strict(f.consumer);
	f.next_status_ns = now_mono() + 1000000000U;
	f.next_aggs_ns = UINT64_MAX;
	progress_init(&f.progress, s, &s->stages);
	f.progress.is_drawn &= !opt_on(&s->options, OPT_LIVE);
	serve_start(r->server);
	loop(&f);
	serve_close(r->server);
	live_end(f.live);
	is_done = s->state == SESSION_DONE;
	if (r->cmd->mode == MODE_TRACE && !s->fatal && (is_done || interrupts > 1))
		finish(&f);
	sum_up(&f, is_done);
	has_lost = consumer_lost_output(f.consumer);
	f.nrecords = consumer_records(f.consumer);
	consumer_free(f.consumer);
	f.consumer = NULL;
	report_history_free(f.history);
	await_engine(&f);
	live_free(f.live);
	push_free(r->pusher);
	if (f.engine_is_dead && s->watchdog)
		watchdog_join(s->watchdog);
	if (is_stuck(&f))
		return enginegone_stuck(s, engine);
	if (!f.engine_is_dead)
		return enginegone_busy(s, engine);
	if (f.engine_is_dead && (!is_done || (s->watchdog && s->watchdog->is_hung)))
		return enginegone_dead(s, f.engine_status);
	if (s->fatal && opt_on(&s->options, OPT_CORE))
		dump_core();
	if (s->fatal || f.is_broken)
		return 1;
	if (s->exit_called && s->exit_status & 0xff)
		return (int)(s->exit_status & 0xff);
	return has_lost || s->incomplete || f.has_no_report;
}
