/*
 * seccomp.h: a system call that is made in a thread's name must not meet its filter: that may kill
 * it.
 */
#ifndef TRACER_PROCFS_SECCOMP_H
#define TRACER_PROCFS_SECCOMP_H

#include "tracer/tracer_priv.h"

/*
 * The thread is stopped. False: it has a filter that we may not put out of work, and that is not
 * known to let memory be mapped: nothing may be called.
 */
bool seccomp_lift(const struct thread *);
void seccomp_lower(const struct thread *); /* after a lift: the filter works again */

#endif
