/*
 * seccomp.h: a system call that is made in a thread's name must not meet its filter: that may kill
 * it.
 */
#ifndef TRACER_PROCFS_SECCOMP_H
#define TRACER_PROCFS_SECCOMP_H

#include "base/base.h"

bool seccomp_is_filtered(pid_t tid); /* it has one */
/*
 * The thread is stopped; options: what it is traced with (PTRACE_O_*). False: it has a filter that
 * we may not put out of work, and that is not known to let memory be mapped: nothing may be called.
 */
bool seccomp_lift(pid_t tid, unsigned long options);
/* After a lift: the filter works again. */
void seccomp_lower(pid_t tid, unsigned long options);
/* The thread is stopped. False: one of its filters would not let it make that call with arguments
 * of 0, or it is not known. */
bool seccomp_allows(pid_t tid, int nr);

#endif
