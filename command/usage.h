/* usage.h: what the command says of itself. */
#ifndef COMMAND_USAGE_H
#define COMMAND_USAGE_H

#include <stdbool.h>
#include <stdio.h>

/* The usage text, without the lines of the options, which stand between. */
void usage_head(FILE *, const char *progname);
void usage_tail(FILE *);
/* What a screen has room for, below a message of what is wrong. */
void usage_short(FILE *, const char *progname);
/* --help behind -s: the comment that the script begins with. False: it has none, or cannot be read.
 */
bool usage_of_script(FILE *, const char *path);
/* The same of a script that is a program: its first line is "#!". False: it is none. */
bool usage_of_program(FILE *, const char *path);
/* -V, with -v; on standard output. */
void usage_version(const char *progname, bool is_verbose);
/* --examples: those that hold the word; NULL: all. False: there are none. */
bool usage_examples(const char *word);
/* --explain: what the tag of an error means, with a program that has it. False: no tag has that
 * name. */
bool usage_explain(const char *tag);

#endif
