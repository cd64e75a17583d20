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

#endif
