/*
 * defer.h: events that go to a file, whose clauses run when the file is read: which of them run
 * now all the same.
 */
#ifndef DLANG_OFFLOAD_DEFER_H
#define DLANG_OFFLOAD_DEFER_H

#include "dlang/session.h"

/*
 * Says of each clause whether it waits while engine->defers is set: all but those that end the run,
 * act on a process or write a file (exit(), destructive actions, logdump()), and, where there is
 * one at a probe that may be frequent, those that it may go by: what assigns variables or emits.
 * Returns whether there is one.
 */
bool session_defer(struct session *);

#endif
