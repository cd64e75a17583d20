#include "tracer/procfs/procfs.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/err.h"
#include "base/procfile.h"

bool procfs_status(pid_t pid, const char *name, int base, uint64_t *v)
{
	char text[8192];
	const char *value = procfile_start(pid, "status", text, sizeof(text)) > 0
				    ? procstatus_value(text, name)
				    : NULL;

	if (value)
		*v = strtoull(value, NULL, base);
	return value != NULL;
}

static bool has_signal(pid_t pid, const char *set, int sig)
{
	uint64_t signals;

	return procfs_status(pid, set, 16, &signals) && (signals >> (sig - 1) & 1);
}

bool procfs_catches(pid_t pid, int sig)
{
	return has_signal(pid, "SigCgt", sig);
}

bool procfs_ignores(pid_t pid, int sig)
{
	return has_signal(pid, "SigIgn", sig);
}

/* That of the thread alone: the process's own adds up the times of all its threads. */
char procfs_state(pid_t pid, unsigned long *flags)
{
	char name[32], text[1024];
	const char *state;

	snprintf(name, sizeof(name), "task/%d/stat", pid);
	procfile_start(pid, name, text, sizeof(text));
	state = procstat_field(text, 3);
	if (!state)
		return '\0';
	if (flags) {
		const char *f = procstat_field(text, 9);

		*flags = f ? strtoul(f, NULL, 10) : 0;
	}
	return *state;
}

/* Of the process; NULL: there is no such. */
static const char *stat_field(pid_t pid, unsigned number, char *buf, size_t size)
{
	procfile_start(pid, "stat", buf, size);
	return procstat_field(buf, number);
}

int procfs_cpu(pid_t tid)
{
	char buf[1024];
	const char *text = stat_field(tid, 39, buf, sizeof(buf));

	return text ? atoi(text) : -1;
}

int procfs_ready_cpu(pid_t tid)
{
	char buf[1024];
	const char *text = stat_field(tid, 3, buf, sizeof(buf));

	if (!text || *text != 'R')
		return -1;
	text = procstat_field(buf, 39);
	return text ? atoi(text) : -1;
}

uint64_t procfs_ran_ns(pid_t tid)
{
	char name[32], line[128];

	snprintf(name, sizeof(name), "task/%d/schedstat", tid);
	procfile_start(tid, name, line, sizeof(line));
	return strtoull(line, NULL, 10);
}

int procfs_check(struct err *err)
{
	char own[16] = "";
	struct statfs fs;
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);

	if (fd < 0 && (errno == EMFILE || errno == ENFILE))
		return err_set(err, -errno, "too few files may be open (%s): raise ulimit -n",
			       strerror(errno));
	if (fd < 0 || fstatfs(fd, &fs) < 0 || fs.f_type != PROC_SUPER_MAGIC) {
		if (fd >= 0)
			close(fd);
		return err_set(err, -ENOENT, "/proc is not mounted here: mount -t proc proc /proc");
	}
	close(fd);
	if (readlink("/proc/self", own, sizeof(own) - 1) <= 0 || atoi(own) != getpid())
		return err_set(err, -EXDEV,
			       "/proc is of another PID namespace than dtrace is in: mount one of "
			       "this (mount -t proc proc /proc, unshare --mount-proc)");
	return 0;
}

taddr_t procfs_start_stack(pid_t pid)
{
	char buf[1024];
	const char *text = stat_field(pid, 28, buf, sizeof(buf));

	return text ? strtoull(text, NULL, 10) : 0;
}

bool procfs_is_alive(pid_t pid)
{
	char state = procfs_state(pid, NULL);

	return state && state != 'Z' && state != 'X';
}

bool procfs_is_uninterruptible(pid_t tid)
{
	char state = procfs_state(tid, NULL);

	return state == 'D' || state == 'Z' || state == 'X' || !state;
}

bool procfs_line(const char *path, char *buf, size_t size)
{
	if (slurp_start(path, buf, size) < 0)
		return false;
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

bool procfs_pc(pid_t tid, uint64_t *pc, uint64_t *sp)
{
	char line[256], *last;

	if (procfile_start(tid, "syscall", line, sizeof(line)) < 0)
		return false;
	line[strcspn(line, "\n")] = '\0';
	last = strrchr(line, ' '); /* "running", or numbers of which the last two are sp and pc */
	if (!last)
		return false;
	*pc = strtoull(last + 1, NULL, 16);
	*last = '\0';
	last = strrchr(line, ' ');
	*sp = last ? strtoull(last + 1, NULL, 16) : 0;
	return true;
}

void procfs_comm(pid_t pid, char *buf, size_t size)
{
	if (procfile_start(pid, "comm", buf, size) < 0)
		snprintf(buf, size, "?");
	buf[strcspn(buf, "\n")] = '\0';
}

/* include/linux/proc_ns.h, PROC_PID_INIT_INO: the name space of the first process. */
bool procfs_in_root_pidns(void)
{
	char name[32] = "";

	return readlink("/proc/self/ns/pid", name, sizeof(name) - 1) > 0 &&
	       strcmp(name, "pid:[4026531836]") == 0;
}

bool procfs_is_capable(int capability)
{
	uint64_t caps;

	return procfs_status(getpid(), "CapEff", 16, &caps) && caps >> capability & 1;
}

#define OOM_SCORE_ADJ "/proc/self/oom_score_adj"

int procfs_oom_score_adj(void)
{
	char line[16];

	return procfs_line(OOM_SCORE_ADJ, line, sizeof(line)) ? atoi(line) : 0;
}

void procfs_set_oom_score_adj(int adj)
{
	int fd = open(OOM_SCORE_ADJ, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	dprintf(fd, "%d", adj);
	close(fd);
}

int procfs_open_memory(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	return open(path, O_RDWR | O_CLOEXEC);
}
