/*
 * enginegone.h: what is said, on standard error, of an engine that has not come to an orderly end.
 * These return the exit status, 1.
 */
#ifndef COMMAND_ENGINEGONE_H
#define COMMAND_ENGINEGONE_H

#include "dlang/session.h"

/* It has died, with that wait status: its breakpoints are taken out by now, or here. */
int enginegone_dead(const struct session *, int status);
/* It hangs where SIGKILL does not reach it: nobody can wait for that. */
int enginegone_stuck(const struct session *, pid_t engine);
/* Nothing hangs, but there is much to take out. */
int enginegone_busy(const struct session *, pid_t engine);
/* Before tracing has begun: it has been asked to end, and lets processes go. Not for long, and
 * until the user is impatient. Signals end the sleep. */
void enginegone_await(pid_t engine, bool (*is_impatient)(void *));

#endif
