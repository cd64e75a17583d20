/*
 * seize.h: PTRACE_SEIZE that can be given up. The kernel lets it wait while the process is within
 * execve(), and execve() waits until each thread that it has ended is reaped: by that thread's
 * tracer, who waits.
 */
#ifndef TRACER_X86_SEIZE_H
#define TRACER_X86_SEIZE_H

#include <sys/types.h>

/* Between these two no call of seize_thread() waits longer than some milliseconds. */
void seizes_begin(void);
void seizes_end(void);

/*
 * Returns 0, or -errno of ptrace(2). -EINTR: the process is within execve(); what has ended is to
 * be reaped, then it can be tried again. Elsewhere than between the two above it waits for as long
 * as the kernel does.
 */
int seize_thread(pid_t tid, unsigned long options);

#endif
