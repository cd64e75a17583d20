#include "command/recording/recread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "base/cleanname.h"
#include "base/clock.h"
#include "base/endreq.h"
#include "base/procfile.h"

/* ---- messages ---- */

void recread_say(const struct recread *rd, const char *text)
{
	char *clean = text_cleaned(text);

	fprintf(stderr, "%s: %s\n", rd->session->progname, clean);
	free(clean);
}

static void tell_trouble(void *arg, const char *text)
{
	struct recread *rd = arg;

	recread_say(rd, text);
	rd->is_bad = true;
}

/* ---- signals ---- */

/* One per process by nature: what signal handlers can reach. */
static volatile sig_atomic_t ending_signal, is_asked;

static void on_signal(int sig)
{
	ending_signal = sig;
}

/* How far is it (SIGUSR1)? */
static void on_question(int sig UNUSED)
{
	is_asked = 1;
}

/* Asked for each record, and when a signal has ended a wait for more. */
static bool is_ending(void *arg)
{
	struct recread *rd = arg;

	if (is_asked)
		progress_answer(&rd->progress, 0);
	is_asked = 0;
	return ending_signal;
}

/* What has been read when ^C comes is printed first. */
static void set_signals(struct recread *rd)
{
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sa = (struct sigaction){.sa_handler = SIG_IGN}; /* seen as EPIPE */
	sigaction(SIGPIPE, &sa, NULL);
	sa = (struct sigaction){.sa_handler = on_question};
	sigaction(SIGUSR1, &sa, NULL);
	endreq_set(is_ending, rd);
}

bool recread_was_ended(void)
{
	return ending_signal;
}

/* ---- the file ---- */

void recread_init(struct recread *rd, struct session *s)
{
	*rd = (struct recread){.session = s};
	set_signals(rd);
	procfile_hide_others();
	progress_init(&rd->progress, s, &s->stages);
	stage_share(&s->stages, NULL, NULL);
}

void recread_release(struct recread *rd)
{
	perfdata_free(rd->file);
}

int recread_open(struct recread *rd, const struct cmdline *cmd, struct err *err)
{
	int rc = 0;

	if (cmd->ntargets)
		return err_set(err, -EINVAL,
			       "-E: events come from %s: there is nothing to trace with -c or -p",
			       cmd->recording);
	if (opt_on(&rd->session->options, OPT_STRICT))
		rc = perfdata_check(cmd->recording, tell_trouble, rd, err);
	if (rc == 0)
		rc = perfdata_open(cmd->recording, &rd->file, err);
	if (rc < 0)
		return rc;
	for (unsigned i = 0; perfdata_note(rd->file, i); i++)
		recread_say(rd, perfdata_note(rd->file, i));
	return 0;
}

/* So many records between two looks at the clock. */
#define LOOKS_AFTER 1024

static void show_progress(struct recread *rd)
{
	uint64_t of;
	const uint64_t n = perfdata_nread(rd->file, &of);

	stage_reach(n, of, NULL);
	if (now_mono() >= rd->progress_ns)
		rd->progress_ns = progress_show(&rd->progress);
}

int recread_all(struct recread *rd, int (*fn)(void *arg, const struct perfdata_record *), void *arg)
{
	struct perfdata_record r;
	unsigned n = 0;
	int rc = 0;

	stage_begin(STAGE_READING, 0);
	show_progress(rd);
	while (rc == 0 && !endreq_asked() && perfdata_peek(rd->file, &r)) {
		rc = fn(arg, &r);
		perfdata_skip(rd->file);
		if (++n % LOOKS_AFTER == 0)
			show_progress(rd);
	}
	show_progress(rd);
	stage_end();
	progress_end(&rd->progress);
	return rc;
}

int recread_status(struct recread *rd)
{
	if (ending_signal) { /* the default action ends us, as whoever sent it expects */
		raise(ending_signal);
		return 1;
	}
	perfdata_each_trouble(rd->file, ": what comes before has been read", tell_trouble, rd);
	return rd->is_bad;
}
