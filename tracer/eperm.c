/* Why ptrace is refused, said so that the reader knows what to change (docs/spec/pid-engine.md
 * §2.6). */
#include "tracer/tracer.h"

#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "tracer/procfs/procfs.h"

static uint64_t status_or(pid_t pid, const char *name, int base, uint64_t none)
{
	uint64_t v;

	return procfs_status(pid, name, base, &v) ? v : none;
}

int tracer_yama_scope(void)
{
	char text[16];

	if (!procfs_line("/proc/sys/kernel/yama/ptrace_scope", text, sizeof(text)))
		return -1;
	return (int)strtol(text, NULL, 10);
}

/* What may not be dumped has its /proc files given to root. */
static bool is_undumpable(pid_t pid, uid_t uid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	return stat(path, &st) == 0 && st.st_uid != uid;
}

bool tracer_in_user_namespace(void)
{
	unsigned long inside, outside, count;
	char line[128];

	return procfs_line("/proc/self/uid_map", line, sizeof(line)) &&
	       sscanf(line, "%lu %lu %lu", &inside, &outside, &count) == 3 &&
	       (inside != 0 || outside != 0 || count != 4294967295UL);
}

/* Nobody has that number: whoever refuses it has not looked (a filter knows no more of a call). */
static bool filter_forbids(void)
{
	return status_or(getpid(), "Seccomp", 10, 0) > 0 &&
	       ptrace(PTRACE_SEIZE, INT_MAX, 0, 0) < 0 && errno != ESRCH;
}

/* Scope 1 leaves a process its own children. */
static bool yama_forbids(pid_t pid, int scope)
{
	return scope > 1 || (scope == 1 && (pid_t)status_or(pid, "PPid", 10, 0) != getpid());
}

/* The reasons that root does not know. */
static int explain_unprivileged(pid_t pid, int scope, struct err *err)
{
	uid_t uid = (uid_t)status_or(pid, "Uid", 10, geteuid());

	if (uid != geteuid())
		return err_set(err, -EPERM,
			       "process %d belongs to user %u: tracing it needs root or "
			       "CAP_SYS_PTRACE",
			       pid, uid);
	if (is_undumpable(pid, uid))
		return err_set(err, -EPERM,
			       "process %d may not be inspected (a set-id program, or one that has "
			       "made itself undumpable): tracing it needs root or CAP_SYS_PTRACE",
			       pid);
	if (status_or(pid, "CapPrm", 16, 0) & ~status_or(getpid(), "CapPrm", 16, 0))
		return err_set(err, -EPERM,
			       "process %d has capabilities that dtrace has not: tracing it needs "
			       "CAP_SYS_PTRACE",
			       pid);
	if (yama_forbids(pid, scope))
		return err_set(err, -EPERM,
			       "kernel.yama.ptrace_scope is %d, which forbids tracing process %d: "
			       "run as root,%s or set sysctl kernel.yama.ptrace_scope=0",
			       scope, pid, scope == 1 ? " start the program with -c," : "");
	return err_set(err, -EPERM, "the kernel forbids tracing process %d: a security module",
		       pid);
}

static int explain(pid_t pid, struct err *err)
{
	uint64_t tracer = status_or(pid, "TracerPid", 10, 0);
	bool capable = procfs_is_capable(CAP_SYS_PTRACE);
	int scope = tracer_yama_scope();
	char comm[32];

	if (pid == getpid())
		return err_set(err, -EPERM, "process %d is dtrace itself", pid);
	if (tracer > 0) {
		procfs_comm((pid_t)tracer, comm, sizeof(comm));
		return err_set(err, -EPERM, "process %d is already traced by %s (process %d)", pid,
			       comm, (pid_t)tracer);
	}
	if (scope == 3)
		return err_set(err, -EPERM,
			       "tracing is switched off until the next boot: "
			       "kernel.yama.ptrace_scope is 3");
	if (filter_forbids())
		return err_set(err, -EPERM,
			       "a seccomp filter forbids ptrace here: in a container, run it with "
			       "--cap-add SYS_PTRACE");
	if (!capable)
		return explain_unprivileged(pid, scope, err);
	if (pid == 1)
		return err_set(err, -EPERM, "process 1, the init process, cannot be traced");
	if (tracer_in_user_namespace())
		return err_set(err, -EPERM,
			       "process %d lives in another user namespace than dtrace: run "
			       "dtrace outside of the container",
			       pid);
	return err_set(
		err, -EPERM,
		"the kernel forbids tracing process %d: a security module or kernel lockdown", pid);
}

void tracer_explain_eperm(pid_t pid, struct err *err)
{
	explain(pid, err);
}

/* ---- is it allowed here at all? Tried on a child of our own, which nothing but a rule forbids
 * ---- */

static int seize_and_stop(pid_t pid, struct err *err)
{
	int status;

	if (ptrace(PTRACE_SEIZE, pid, 0, 0) < 0) {
		if (errno == EPERM)
			tracer_explain_eperm(pid, err);
		else
			err_set(err, -errno, "%s", strerror(errno));
		return err->code;
	}
	if (ptrace(PTRACE_INTERRUPT, pid, 0, 0) < 0 || waitpid(pid, &status, __WALL) != pid ||
	    !WIFSTOPPED(status))
		return err_set(err, -EIO, "a traced process does not stop");
	return 0;
}

int tracer_self_test(struct err *err)
{
	pid_t pid = fork();
	int r;

	if (pid == 0) {
		pause();
		_exit(0);
	}
	if (pid < 0)
		return err_no_process(err, errno);
	r = seize_and_stop(pid, err);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, __WALL);
	return r;
}
