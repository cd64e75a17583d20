/*
 * preload.h: a process that is let in by a preloaded library (preload_proto.h) instead of by
 * ptrace: its memory is open, and it makes system calls for us, but only as long as its first
 * thread waits in the library. Then it runs, and nothing stops it. Only files of this room include
 * it.
 */
#ifndef TRACER_PRELOAD_H
#define TRACER_PRELOAD_H

#include "tracer/tracer_priv.h"

/* As remote_syscall. -ESRCH: it does not wait there, any more. */
int preload_syscall(const struct proc *, long nr, const uint64_t args[6], int64_t *result);
/* It is, and nothing of it runs. */
bool preload_is_held(const struct proc *);
void preload_go_on(struct proc *); /* it runs */
void preload_free(struct preload *);
/* What only ptrace can do is refused: -EPERM, with the setting that forbids it. */
int preload_refuses(const struct proc *, struct err *);

#endif
