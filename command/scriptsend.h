/* scriptsend.h: --emit: tells the traces that run of an event of a shell script. */
#ifndef COMMAND_SCRIPTSEND_H
#define COMMAND_SCRIPTSEND_H

/*
 * words: the text, and no more. to: a number: script:::event of that process; else a name:
 * script:::NAME of the process that called us. Nobody needs to listen. Returns the exit status;
 * what is wrong has been said.
 */
int script_emit(const char *progname, const char *to, char *const *words);

#endif
