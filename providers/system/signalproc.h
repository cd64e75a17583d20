/*
 * signalproc.h: stop() and raise() where no provider holds the thread: a signal to the process of
 * an event, which may have gone on, or ended, since.
 */
#ifndef PROVIDERS_SYSTEM_SIGNALPROC_H
#define PROVIDERS_SYSTEM_SIGNALPROC_H

#include "dlang/provider.h"

/*
 * Never another process that has its number by now, a thread of the kernel or one of ours. What is
 * not sent is said, once a run. Returns 0 or a negative errno.
 */
int world_signal_process(struct session *, const struct event *, int sig);

#endif
