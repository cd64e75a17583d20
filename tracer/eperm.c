/* Why ptrace is refused, said so that the reader knows what to change (pid-engine.md §2.6). */
#include "tracer.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"

#define CAP_SYS_PTRACE_BIT 19

/* A field of /proc/PID/status as a number; -1: not there. */
static long status_field(pid_t pid, const char *name, int base)
{
	size_t len = strlen(name);
	char path[64], line[256];
	long v = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	if (!f)
		return -1;
	while (v < 0 && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, len) && line[len] == ':')
			v = (long)strtoul(line + len + 1, NULL, base);
	fclose(f);
	return v;
}

static void comm_of(pid_t pid, char *buf, size_t size)
{
	char path[64];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "re");
	n = f ? fread(buf, 1, size - 1, f) : 0;
	if (f)
		fclose(f);
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
}

static int yama_scope(void)
{
	FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	char text[16] = "";
	int v = 0;

	if (f && fgets(text, sizeof(text), f))
		v = (int)strtol(text, NULL, 10);
	if (f)
		fclose(f);
	return v;
}

void tracer_explain_eperm(pid_t pid, struct err *err)
{
	long tracer = status_field(pid, "TracerPid", 10), uid = status_field(pid, "Uid", 10);
	long caps = status_field(getpid(), "CapEff", 16);
	bool capable = caps >= 0 && (caps >> CAP_SYS_PTRACE_BIT & 1);
	int scope = yama_scope();
	char comm[32];

	if (pid == getpid()) {
		err_set(err, -EPERM, "process %d is dtrace itself", pid);
	} else if (tracer > 0) {
		comm_of((pid_t)tracer, comm, sizeof(comm));
		err_set(err, -EPERM, "process %d is already traced by %s (process %ld)", pid, comm,
			tracer);
	} else if (pid == 1) {
		err_set(err, -EPERM, "process 1, the init process, cannot be traced");
	} else if (scope == 3) {
		err_set(err, -EPERM,
			"tracing is switched off until the next boot: kernel.yama.ptrace_scope is "
			"3");
	} else if (scope > 0 && !capable) {
		err_set(err, -EPERM,
			"kernel.yama.ptrace_scope is %d, which forbids tracing process %d: run as "
			"root or "
			"set it with sysctl kernel.yama.ptrace_scope=0",
			scope, pid);
	} else if (uid >= 0 && (uid_t)uid != geteuid() && !capable) {
		err_set(err, -EPERM,
			"process %d belongs to user %ld: tracing it needs root or CAP_SYS_PTRACE",
			pid, uid);
	} else if (status_field(getpid(), "Seccomp", 10) > 0) {
		err_set(err, -EPERM,
			"a seccomp filter forbids ptrace here: in a container, run it with "
			"--cap-add SYS_PTRACE");
	} else if (!capable) {
		err_set(err, -EPERM,
			"process %d may not be inspected (a set-id program, or one that has made "
			"itself "
			"undumpable): tracing it needs root or CAP_SYS_PTRACE",
			pid);
	} else {
		err_set(err, -EPERM,
			"the kernel forbids tracing process %d: a security module, kernel lockdown "
			"or "
			"another user namespace",
			pid);
	}
}
