/*
 * dtrace.c: main(): the command line, the arena, and the fork into the two halves.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "command/cmdline.h"
#include "command/engine.h"
#include "command/front.h"
#include "command/live/live.h"
#include "command/merging.h"
#include "command/recording/recdump.h"
#include "command/recording/recwrite.h"
#include "command/report/baseline.h"
#include "command/report/report.h"
#include "command/serve/push.h"
#include "command/serve/serve.h"
#include "providers/providers.h"
#include "symbols/symbols.h"

#define ARENA_SIZE ((size_t)64 << 30)

/*
 * A standard stream that is closed must not become the number of a file of ours. What stands in for
 * it fails when it is used the wrong way round, as the closed one would have.
 */
static void fill_standard_streams(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

static void fail(const char *progname, const char *text)
{
	fprintf(stderr, "%s: %s\n", progname, text);
	exit(1);
}

static FILE *open_output(const struct session *s, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "a");

	if (!out) {
		fprintf(stderr, "%s: failed to open output file '%s': %s\n", s->progname, path,
			strerror(errno));
		exit(1);
	}
	return out;
}

/* The way of descriptors from the engine to the front; without it names come from paths. */
static void make_socket(struct session *s)
{
	int ends[2] = {-1, -1};

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0)
		aspaces_set_socket(s->aspaces, ends[0], ends[1]);
	else
		aspaces_set_socket(s->aspaces, -1, -1);
}

static void block_signals(void)
{
	sigset_t set;

	/* until each half has set its own: nothing may hit one of them in between */
	sigfillset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
}

/* Of what was asked for in place of tracing (--help), when it could not be printed. */
static int finish_output(const char *progname, int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	fprintf(stderr, "%s: failed to write to <stdout>: %s\n", progname, strerror(errno));
	return 1;
}

static void on_file_limit(int sig UNUSED)
{
	/* the write that meets RLIMIT_FSIZE says so itself */
}

/* Not SIG_IGN, which programs that we start would inherit. */
static void survive_file_limit(void)
{
	struct sigaction sa = {.sa_handler = on_file_limit, .sa_flags = SA_RESTART};

	sigaction(SIGXFSZ, &sa, NULL);
}

/* What was asked for: its exit status. */
static int carry_out(const struct run *run, FILE *out)
{
	const struct cmdline *cmd = run->cmd;
	const char *out_name = cmd->output ? cmd->output : "<stdout>";
	struct session *s = run->session;
	struct err err;
	pid_t engine;

	if (cmd->mode == MODE_MERGE)
		return merging(run, out, out_name);
	if (recwrite_is_meant(cmd))
		return recwrite(cmd, s);
	if (recdump_is_meant(cmd))
		return recdump(cmd, s, out, out_name);
	block_signals();
	fflush(NULL);
	engine = fork();
	if (engine < 0) {
		err_no_process(&err, errno);
		fail(s->progname, err.text);
	}
	if (engine == 0)
		_exit(engine_main(run));
	s->engine_pid = engine;
	prctl(PR_SET_PTRACER, engine); /* Yama: what BEGIN reads is the memory of this process */
	return front_main(run, engine, out, out_name);
}

int main(int argc, char **argv)
{
	static struct arena arena;
	const char *progname = argc > 0 ? basename(argv[0]) : "dtrace";
	struct session *s;
	struct cmdline cmd;
	struct run run = {.cmd = &cmd};
	struct err err;
	FILE *out = stdout;
	int rc;

	fill_standard_streams();
	run_save_signals(&run);
	survive_file_limit();
	front_accept_signals();
	if (arena_init_shared(&arena, ARENA_SIZE, &err) < 0)
		fail(progname, err.text);
	s = session_new(&arena, progname);
	run.session = s;
	s->providers = providers;
	s->nproviders = nproviders;
	s->aspaces = aspaces_new(&arena);
	make_socket(s);
	rc = cmdline_parse(&cmd, s, argc, argv);
	if (rc != CMD_GO_ON)
		return finish_output(progname, rc);
	if ((cmd.mode == MODE_TRACE || cmd.mode == MODE_MERGE) &&
	    report_check(s, &run.baseline, &err))
		fail(progname, err.text);
	if (cmd.mode == MODE_TRACE && serve_open(&s->options, progname, &run.server, &err))
		fail(progname, err.text);
	if (cmd.mode == MODE_TRACE && push_open(&s->options, progname, &run.pusher, &err))
		fail(progname, err.text);
	if (cmd.mode == MODE_TRACE)
		run.live = live_new(&s->options, cmdline_starts_program(&cmd));
	if (cmd.output)
		out = open_output(s, cmd.output);
	rc = carry_out(&run, out);
	baseline_close(run.baseline);
	return rc;
}
