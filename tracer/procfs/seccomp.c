#include "tracer/procfs/seccomp.h"

#include <sys/ptrace.h>
#include <unistd.h>

#include "tracer/procfs/procfs.h"

#ifndef PTRACE_O_SUSPEND_SECCOMP
#define PTRACE_O_SUSPEND_SECCOMP (1 << 21)
#endif

static uint64_t number_of(pid_t tid, const char *name)
{
	uint64_t v;

	return procfs_status(tid, name, 10, &v) ? v : 0;
}

bool seccomp_lift(const struct thread *t)
{
	uint64_t mode = number_of(t->tid, "Seccomp");

	if (!mode)
		return true;
	if (ptrace(PTRACE_SETOPTIONS, t->tid, 0, TRACE_OPTIONS | PTRACE_O_SUSPEND_SECCOMP) == 0)
		return true;
	/* In a container the filter is its own, which we are under as well. */
	return number_of(getpid(), "Seccomp") == mode &&
	       number_of(getpid(), "Seccomp_filters") == number_of(t->tid, "Seccomp_filters");
}

void seccomp_lower(const struct thread *t)
{
	ptrace(PTRACE_SETOPTIONS, t->tid, 0, TRACE_OPTIONS);
}
