#include "command/recording/recchoose.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/stat.h>

/* Returns the exit status. */
static int complain(const struct session *s, const char *fmt, ...) PRINTF_LIKE(2, 3);

static int complain(const struct session *s, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", s->progname);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return 2;
}

/* -E: a program whose file is not there writes it. */
static int check_recording(struct cmdline *cmd, const struct session *s)
{
	const char *name = cmd->recording;
	struct stat st;

	if (!name || !cmd->nsources || (cmd->mode != MODE_TRACE && cmd->mode != MODE_COMPILE))
		return CMD_GO_ON;
	if (strcmp(name, "-") != 0 && !strchr(name, ',') && lstat(name, &st) < 0 &&
	    errno == ENOENT) {
		cmd->log = name;
		cmd->recording = NULL;
	} else if (cmd->runs_all) {
		return complain(s,
				"-g: events are read from %s, which is there; they are logged to a "
				"file that is new",
				name);
	}
	return CMD_GO_ON;
}

#define RECORDING_SUFFIX ".data"

static bool is_recording_name(const char *name)
{
	const size_t n = strlen(name), m = strlen(RECORDING_SUFFIX);

	return n > m && strcmp(name + n - m, RECORDING_SUFFIX) == 0;
}

/* -E IN -o OUT.data: what is read is written anew, and what the program prints is as without -o. */
static int check_rewriting(struct cmdline *cmd, const struct session *s)
{
	if (cmd->recording && cmd->mode == MODE_TRACE && cmd->output &&
	    is_recording_name(cmd->output)) {
		cmd->rewritten = cmd->output;
		cmd->output = NULL;
	}
	if (s->options.text[OPT_ADDMAP] && !cmd->rewritten)
		return complain(s, "-x addmap is for a recording that is written anew: "
				   "-E IN.data -o OUT.data");
	return CMD_GO_ON;
}

int recchoose(struct cmdline *cmd, const struct session *s)
{
	const int rc = check_recording(cmd, s);

	return rc == CMD_GO_ON ? check_rewriting(cmd, s) : rc;
}
