/*
 * earlyopts.h: options of programs that have their effect before a program is compiled.
 */
#ifndef COMMAND_EARLYOPTS_H
#define COMMAND_EARLYOPTS_H

#include "dlang/dlang.h"
#include "dlang/session.h"

/*
 * The program of -c waits for its probes before anything is compiled, as types are its: where it
 * does (evaltime) is looked up in the control lines of scripts beforehand. What stands on the
 * command line goes first; what is wrong is the compiler's to say.
 */
void early_options(struct session *, const struct source *, unsigned n);

#endif
