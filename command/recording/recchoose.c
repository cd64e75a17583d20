#include "command/recording/recchoose.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

bool recchoose_is_new(const char *name)
{
	struct stat st;

	return strcmp(name, "-") != 0 && !strchr(name, ',') && lstat(name, &st) < 0 &&
	       errno == ENOENT;
}

/* -E: a program whose file is not there writes it. */
static int check_recording(struct cmdline *cmd, struct err *err)
{
	const char *name = cmd->recording;

	if (!name || (cmd->mode != MODE_TRACE && cmd->mode != MODE_COMPILE))
		return 0;
	if (recchoose_is_new(name)) {
		cmd->log = cmd->nsources ? name : NULL;
		cmd->recording = cmd->nsources ? NULL : name;
	} else if (cmd->runs_all) {
		return err_set(err, -EINVAL,
			       "-g: events are read from %s, which is there; they are logged to a "
			       "file that is new",
			       name);
	}
	return 0;
}

#define RECORDING_SUFFIX ".data"

static bool is_recording_name(const char *name)
{
	const size_t n = strlen(name), m = strlen(RECORDING_SUFFIX);

	return n > m && strcmp(name + n - m, RECORDING_SUFFIX) == 0;
}

/* -E IN -o OUT.data: what is read is written anew, and what the program prints is as without -o. */
static int check_rewriting(struct cmdline *cmd, const struct options *o, struct err *err)
{
	if (cmd->recording && cmd->mode == MODE_TRACE && cmd->output &&
	    is_recording_name(cmd->output)) {
		cmd->rewritten = cmd->output;
		cmd->output = NULL;
	}
	if (o->text[OPT_ADDMAP] && !cmd->rewritten)
		return err_set(err, -EINVAL,
			       "-x addmap is for a recording that is written anew: "
			       "-E IN.data -o OUT.data");
	return 0;
}

int recchoose(struct cmdline *cmd, const struct options *o, struct err *err)
{
	int rc = check_recording(cmd, err);

	return rc ? rc : check_rewriting(cmd, o, err);
}
