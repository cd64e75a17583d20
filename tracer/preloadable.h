/*
 * preloadable.h: will the dynamic linker of a program load a library by LD_PRELOAD? Only files of
 * this room include it.
 */
#ifndef TRACER_PRELOADABLE_H
#define TRACER_PRELOADABLE_H

#include "base/err.h"

/*
 * argv[0] of a command. 0: it will, as far as the file tells, or the file is not there, which exec
 * tells better. -ENOTSUP: it will not, and why, after "NAME: ".
 */
int preloadable(const char *program, struct err *);

#define SCRIPTS_MAX 5 /* an interpreter may be a script, too (execve(2)) */

/*
 * What runs a script that begins with these characters, and a NUL. False: it is none, or names
 * none.
 */
bool script_interpreter(const char *head, char *path, size_t size);

#endif
