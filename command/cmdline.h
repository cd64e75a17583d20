/*
 * cmdline.h: the command line (docs/spec/dtrace-command.md §1, §2): what to do, with which
 * programs.
 */
#ifndef COMMAND_CMDLINE_H
#define COMMAND_CMDLINE_H

#include "dlang/dlang.h"
#include "dlang/session.h"

enum cmd_mode {
	MODE_TRACE,
	MODE_LIST,    /* -l */
	MODE_COMPILE, /* -e */
	MODE_HEADER,  /* -h */
	MODE_LINK,    /* -G */
	MODE_MERGE,   /* --merge */
};

/* A process of -c or -p. */
struct cmd_target {
	const char *command; /* NULL: -p */
	const char *pid_text;
	bool is_name; /* of -p */
	pid_t pid;    /* 0: there can be none of that number */
};

struct cmdline {
	enum cmd_mode mode;
	bool is_verbose;      /* -v */
	bool is_dump;	      /* -B */
	const char *output;   /* -o; NULL: stdout */
	const char *made;     /* -h, -G: the file that -o names; NULL: it follows from the script */
	const char **objects; /* -G, --merge: the operands */
	unsigned nobjects;
	const char *recording;	/* -E: the file that events come from; NULL: they are live */
	const char *rewritten;	/* -o: the new file that it is written to; NULL: none */
	const char *log;	/* -E: the new file that they go to; NULL: none */
	bool runs_all;		/* -g: all clauses run while events go there */
	struct source *sources; /* in the order of the command line, in the session's arena */
	unsigned nsources;
	struct cmd_target *targets; /* -c and -p, in order */
	unsigned ntargets;
	char **envp; /* the environment of -c: ours, changed by -x setenv and unsetenv */
	unsigned nenv;
};

#define CMD_GO_ON (-1)

/*
 * Reads the command line; options go into session->options, after the environment's. Returns
 * CMD_GO_ON, or the exit status after having printed what there was to print.
 */
int cmdline_parse(struct cmdline *, struct session *, int argc, char **argv);

/* Is there a -c? */
bool cmdline_starts_program(const struct cmdline *);

/*
 * Splits the text of -c into words: blanks separate, quotes and backslash group as in a shell;
 * nothing is expanded. Caller frees the array (one block). Errors: -ENOENT no word, -EINVAL a quote
 * without end.
 */
int cmdline_split(const char *text, char ***words);

#endif
