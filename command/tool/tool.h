/*
 * tool.h: tools by name: dtrace --tool NAME [options] [operands] [-- COMMAND ARGS].
 *
 * A tool is one file of dscripts/bin (or any file, by a name with a slash): a D program whose first
 * comment tells what it takes, and which lines it has then. docs/HOWTO.md shows one. Nothing of D
 * is understood here: the text is put together, and the command compiles it as it does any script.
 */
#ifndef COMMAND_TOOL_TOOL_H
#define COMMAND_TOOL_TOOL_H

#include <stdio.h>

#include "base/base.h"

/* An option of the command itself: its letter, and its value. */
struct tool_given {
	char letter;
	const char *value;
};

/* What a tool comes down to. */
struct tool_run {
	char *name, *text; /* the D program */
	struct tool_given *given;
	unsigned ngiven;
};

#define TOOL_RUNS (-1)

/*
 * is_recorded: a recording says which program it is of, if one. argv: what is behind the name,
 * which has to stay. Returns TOOL_RUNS, and in *run what is to be
 * run (tool_run_release frees it), or an exit status: help or the program has been printed (0), or
 * what is wrong has been said (1, the tool; 2, its user).
 */
int tool_call(struct tool_run *run, const char *progname, const char *name, bool is_recorded,
	      unsigned argc, char **argv);
void tool_run_release(struct tool_run *);

/* Prints the tools there are, those with the word (NULL: all) in name or purpose, a line each.
 * False: none. */
bool tools_list(FILE *, const char *word);
/* Calls for the name of each. */
void tools_each(void (*fn)(void *arg, const char *name), void *arg);

#endif
