/*
 * front.h: the front half (ARCHITECTURE.md, Two halves and an arena): prints what the engine makes,
 * minds signals and the output.
 */
#ifndef COMMAND_FRONT_H
#define COMMAND_FRONT_H

#include "command/engine.h"

/*
 * Signals that end a run do so however they were left to us: a shell without job control ignores
 * SIGINT and SIGQUIT of what it starts in the background, and nobody else could end that. After
 * run_save_signals(); what is launched is given back what was saved.
 */
void front_accept_signals(void);

/*
 * Runs until the engine is done and gone. engine is the child's pid; out and out_name are where
 * output goes. Returns the exit status of the command.
 */
int front_main(const struct run *, pid_t engine, FILE *out, const char *out_name);

#endif
