#include "tracer/procfs/procfs.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/err.h"

/* The file as a string; NULL: it cannot be read. */
static const char *slurp(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return NULL;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		return NULL;
	buf[n] = '\0';
	return buf;
}

bool procfs_status(pid_t pid, const char *name, int base, uint64_t *v)
{
	size_t len = strlen(name);
	char path[64], buf[8192];
	const char *line;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	for (line = slurp(path, buf, sizeof(buf)); line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, len) != 0 || line[len] != ':')
			continue;
		*v = strtoull(line + len + 1, NULL, base);
		return true;
	}
	return false;
}

/* That of the thread alone: the process's own adds up the times of all its threads. */
char procfs_state(pid_t pid, unsigned long *flags)
{
	char path[64], buf[1024], state;
	const char *text;
	unsigned long f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, pid);
	text = slurp(path, buf, sizeof(buf));
	text = text ? strrchr(text, ')') : NULL; /* the name may hold anything */
	if (!text || sscanf(text + 1, " %c %*d %*d %*d %*d %*d %lu", &state, &f) != 2)
		return '\0';
	if (flags)
		*flags = f;
	return state;
}

/* A field of /proc/PID/stat behind the name, as proc(5) numbers them; NULL: no such process. */
static const char *stat_field(pid_t pid, unsigned number, char *buf, size_t size)
{
	char path[64];
	const char *text;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	text = slurp(path, buf, size);
	text = text ? strrchr(text, ')') : NULL;
	for (unsigned field = 2; text && field < number; field++) {
		text = strchr(text, ' ');
		text += text != NULL;
	}
	return text;
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
	for (unsigned field = 3; text && field < 39; field++) {
		text = strchr(text, ' ');
		text += text != NULL;
	}
	return text ? atoi(text) : -1;
}

uint64_t procfs_ran_ns(pid_t tid)
{
	char path[64], line[128];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", tid, tid);
	return procfs_line(path, line, sizeof(line)) ? strtoull(line, NULL, 10) : 0;
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

uint64_t procfs_auxv(pid_t pid, uint64_t type)
{
	char path[64];
	Elf64_auxv_t av;
	uint64_t value = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/auxv", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && !value && read(fd, &av, sizeof(av)) == sizeof(av))
		if (av.a_type == type)
			value = av.a_un.a_val;
	if (fd >= 0)
		close(fd);
	return value;
}

bool procfs_is_alive(pid_t pid)
{
	char state = procfs_state(pid, NULL);

	return state && state != 'Z' && state != 'X';
}

bool procfs_is_deep(pid_t tid)
{
	char state = procfs_state(tid, NULL);

	return state == 'D' || state == 'Z' || state == 'X' || !state;
}

bool procfs_line(const char *path, char *buf, size_t size)
{
	if (!slurp(path, buf, size))
		return false;
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

bool procfs_pc(pid_t tid, uint64_t *pc, uint64_t *sp)
{
	char path[64], line[256], *last;

	snprintf(path, sizeof(path), "/proc/%d/syscall", tid);
	if (!procfs_line(path, line, sizeof(line)))
		return false;
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
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	if (!procfs_line(path, buf, size))
		snprintf(buf, size, "?");
}

/* include/linux/proc_ns.h, PROC_PID_INIT_INO: the name space of the first process. */
bool procfs_has_first_pids(void)
{
	char name[32] = "";

	return readlink("/proc/self/ns/pid", name, sizeof(name) - 1) > 0 &&
	       strcmp(name, "pid:[4026531836]") == 0;
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
