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

bool seccomp_is_filtered(pid_t tid)
{
	return number_of(tid, "Seccomp") != 0;
}

bool seccomp_lift(pid_t tid, unsigned long options)
{
	uint64_t mode = number_of(tid, "Seccomp");

	if (!mode)
		return true;
	if (ptrace(PTRACE_SETOPTIONS, tid, 0, options | PTRACE_O_SUSPEND_SECCOMP) == 0)
		return true;
	/* In a container the filter is its own, which we are under as well. */
	return number_of(getpid(), "Seccomp") == mode &&
	       number_of(getpid(), "Seccomp_filters") == number_of(tid, "Seccomp_filters");
}

void seccomp_lower(pid_t tid, unsigned long options)
{
	ptrace(PTRACE_SETOPTIONS, tid, 0, options);
}
