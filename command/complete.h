/*
 * complete.h: --complete, what shells ask while a command line is typed. Prints one completion a
 * line; traces nothing and leaves nothing behind, as any user.
 */
#ifndef COMMAND_COMPLETE_H
#define COMMAND_COMPLETE_H

#include "dlang/session.h"

/*
 * what: "probe" (prefix: a description as far as it is typed), "option" (of -x, its value too),
 * "process" (of -p), "tool". Returns the exit status: 1 where `what` is none of these.
 */
int complete_print(struct session *, const char *what, const char *prefix);

#endif
