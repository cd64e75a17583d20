/*
 * execargs.h: the arguments of processes that began, or executed a program, while we looked, kept
 * in the kernel: /proc has them no more when the process is gone before its events are read.
 */
#ifndef PROVIDERS_KERNEL_EXECARGS_H
#define PROVIDERS_KERNEL_EXECARGS_H

#include "providers/world/world.h"

/* A probe is enabled whose clauses read arguments (NEED_TEXTS). Without BPF there is /proc alone.
 */
void execargs_want(struct world *);

#endif
