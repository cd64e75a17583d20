#include "dlang/osinfo/psinfo.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/procfile.h"
#include "dlang/osinfo/osinfo.h"

/* Fields of /proc/PID/stat (proc_pid_stat(5)), counted there from 1; ours begin with the third. */
enum {
	STAT_PGRP = 5,
	STAT_SESSION = 6,
	STAT_TTY = 7,
	STAT_PRIORITY = 18,
	STAT_NICE = 19,
	STAT_THREADS = 20,
	STAT_START = 22,
	STAT_STACK = 28,
	STAT_POLICY = 41,
	STAT_ARG_START = 48,
	STAT_ARG_END = 49,
};

struct psinfo *psinfo_new(struct arena *a)
{
	return ARENA_NEW(a, struct psinfo);
}

void psinfo_begin_firing(struct psinfo *ps)
{
	ps->have_proc = ps->have_lwp = false;
}

/* ---- stat ---- */

/* The name may hold blanks and parentheses, so fields are counted from the last ")". */
static void read_stat(pid_t pid, const char *name, char *buf, size_t size)
{
	char text[1024];
	const char *p;

	osinfo_read(pid, name, text, sizeof(text));
	p = strrchr(text, ')');
	snprintf(buf, size, "%s", p ? p : "");
}

static const char *proc_stat(struct psinfo *ps, pid_t pid)
{
	if (!ps->have_proc || ps->pid != pid)
		read_stat(pid, "stat", ps->proc_stat, sizeof(ps->proc_stat));
	ps->have_proc = true;
	ps->pid = pid;
	return ps->proc_stat;
}

/* That of a process has what its first thread has, too: one moment for both. */
static const char *lwp_stat(struct psinfo *ps, pid_t pid, pid_t tid)
{
	char name[64];

	if (tid == pid)
		return proc_stat(ps, pid);
	if (!ps->have_lwp || ps->tid != tid) {
		snprintf(name, sizeof(name), "task/%d/stat", (int)tid);
		read_stat(pid, name, ps->lwp_stat, sizeof(ps->lwp_stat));
	}
	ps->have_lwp = true;
	ps->tid = tid;
	return ps->lwp_stat;
}

static int64_t field(const char *stat, unsigned n)
{
	const char *text = procstat_field(stat, n);

	return text ? (int64_t)strtoull(text, NULL, 10) : 0;
}

/* ---- the process ---- */

/* The second number of a line "NAME:\treal\teffective..." */
static int64_t effective_id(pid_t pid, const char *name)
{
	char status[4096];
	const char *p;

	osinfo_read(pid, "status", status, sizeof(status));
	p = procstatus_value(status, name);
	if (!p)
		return 0;
	strtoul(p, (char **)&p, 10);
	return (int64_t)strtoul(p, NULL, 10);
}

static int64_t tick_ns(void)
{
	return 1000000000LL / sysconf(_SC_CLK_TCK);
}

int64_t psinfo_start_ns(uint64_t boot_ns)
{
	return (int64_t)(clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME)) +
	       (int64_t)boot_ns / tick_ns() * tick_ns();
}

static int64_t start_ns(const char *stat)
{
	return *stat ? psinfo_start_ns((uint64_t)(field(stat, STAT_START) * tick_ns())) : 0;
}

/* A program's stack begins with argc, the pointers argv[], NULL, envp[]. */
static int64_t initial_stack(pid_t pid, const char *stat, enum procnum what)
{
	int64_t at = field(stat, STAT_STACK), argc = 0;
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = at ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0 || pread(fd, &argc, sizeof(argc), at) != sizeof(argc))
		at = argc = 0;
	if (fd >= 0)
		close(fd);
	if (what == PROCNUM_ARGC || !at)
		return argc;
	return what == PROCNUM_ARGV ? at + 8 : at + 8 * (argc + 2);
}

static int64_t is_64(pid_t pid)
{
	enum { EI_CLASS_AT = 4, CLASS_32 = 1 };
	char head[8];

	return osinfo_read(pid, "exe", head, sizeof(head)) <= EI_CLASS_AT ||
	       head[EI_CLASS_AT] != CLASS_32;
}

/* ---- the thread ---- */

static int64_t current_syscall(pid_t pid, pid_t tid)
{
	char name[64], text[128];

	snprintf(name, sizeof(name), "task/%d/syscall", (int)tid);
	osinfo_read(pid, name, text, sizeof(text));
	return *text >= '0' && *text <= '9' ? strtoll(text, NULL, 10) : -1;
}

static int64_t affinity(pid_t tid)
{
	cpu_set_t set;
	int64_t bits = 0;

	CPU_ZERO(&set);
	sched_getaffinity(tid, sizeof(set), &set);
	for (int i = 0; i < 32; i++)
		bits |= (int64_t)(CPU_ISSET(i, &set) != 0) << i;
	return bits;
}

int64_t psinfo_number(struct psinfo *ps, pid_t pid, pid_t tid, enum procnum row)
{
	const char *stat = row < PROCNUM_LWP_PRI ? proc_stat(ps, pid) : lwp_stat(ps, pid, tid);

	switch (row) {
	case PROCNUM_NLWP:
		return field(stat, STAT_THREADS);
	case PROCNUM_PGID:
		return field(stat, STAT_PGRP);
	case PROCNUM_SID:
		return field(stat, STAT_SESSION);
	case PROCNUM_EUID:
		return effective_id(pid, "Uid");
	case PROCNUM_EGID:
		return effective_id(pid, "Gid");
	case PROCNUM_TTYDEV:
		return field(stat, STAT_TTY);
	case PROCNUM_START_SEC:
		return start_ns(stat) / 1000000000;
	case PROCNUM_START_NSEC:
		return start_ns(stat) % 1000000000;
	case PROCNUM_ARGC:
	case PROCNUM_ARGV:
	case PROCNUM_ENVP:
		return initial_stack(pid, stat, row);
	case PROCNUM_ARGLEN:
		return field(stat, STAT_ARG_END) - field(stat, STAT_ARG_START);
	case PROCNUM_IS64:
		return is_64(pid);
	case PROCNUM_LWP_PRI:
		return *stat ? field(stat, STAT_PRIORITY) + 100 : 0;
	case PROCNUM_LWP_NICE:
		return field(stat, STAT_NICE);
	case PROCNUM_LWP_SYSCALL:
		return current_syscall(pid, tid);
	case PROCNUM_LWP_AFFINITY:
		return affinity(tid);
	default:
		return 0;
	}
}

/* ---- texts ---- */

/* The kernel keeps 15 characters; the file's name has all of them, if it is the file's name. */
static void read_fname(pid_t pid, const char *comm, char *buf, size_t size)
{
	enum { COMM_MAX = 15 };
	const char *base;

	if (strlen(comm) == COMM_MAX) {
		procfile_link(pid, "exe", buf, size);
		base = strrchr(buf, '/');
		if (base && strncmp(base + 1, comm, COMM_MAX) == 0) {
			memmove(buf, base + 1, strlen(base + 1) + 1);
			return;
		}
	}
	snprintf(buf, size, "%s", comm);
}

static void read_tname(pid_t pid, pid_t tid, const char *comm, char *buf, size_t size)
{
	char name[64], tname[16];

	snprintf(name, sizeof(name), "task/%d/comm", (int)tid);
	procfile_comm(pid, name, tname);
	snprintf(buf, size, "%s", tname[0] ? tname : comm);
}

static const char *class_name(int64_t policy)
{
	static const char *const names[] = {"TS", "FF", "RR", "B", "ISO", "IDL", "DLN"};

	return policy >= 0 && policy < (int64_t)ARRAY_SIZE(names) ? names[policy] : "?";
}

const char *psinfo_text(struct psinfo *ps, pid_t pid, pid_t tid, enum proctext row,
			const char *comm)
{
	char *buf = ps->text[row];

	switch (row) {
	case PROCTEXT_FNAME:
		read_fname(pid, comm, buf, PSINFO_PATH);
		break;
	case PROCTEXT_CWD:
		procfile_link(pid, "cwd", buf, PSINFO_PATH);
		break;
	case PROCTEXT_ROOT:
		procfile_link(pid, "root", buf, PSINFO_PATH);
		break;
	case PROCTEXT_TNAME:
		read_tname(pid, tid, comm, buf, PSINFO_PATH);
		break;
	default: /* PROCTEXT_CLNAME; PROCTEXT_PSARGS is builtins.c's */
		snprintf(buf, PSINFO_PATH, "%s",
			 class_name(field(lwp_stat(ps, pid, tid), STAT_POLICY)));
		break;
	}
	return buf;
}

/* ---- CPUs ---- */

static int read_chip(int cpu)
{
	char path[96], text[16];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
		 cpu);
	return slurp_start(path, text, sizeof(text)) > 0 ? atoi(text) : 0;
}

/* Its folder holds a link "nodeN". */
static int read_lgrp(int cpu)
{
	char path[64];
	const struct dirent *e;
	int node = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d", cpu);
	dir = opendir(path);
	while (dir && (e = readdir(dir)))
		if (strncmp(e->d_name, "node", 4) == 0)
			node = atoi(e->d_name + 4);
	if (dir)
		closedir(dir);
	return node;
}

/* Of the CPU that was asked for last it is known. */
static void look_at(struct psinfo *ps, int cpu)
{
	if (ps->cpu.is_known && ps->cpu.id == cpu)
		return;
	ps->cpu.is_known = true;
	ps->cpu.id = cpu;
	ps->cpu.chip = read_chip(cpu);
	ps->cpu.lgrp = read_lgrp(cpu);
}

int cpu_chip(struct psinfo *ps, int cpu)
{
	look_at(ps, cpu);
	return ps->cpu.chip;
}

int cpu_lgrp(struct psinfo *ps, int cpu)
{
	look_at(ps, cpu);
	return ps->cpu.lgrp;
}

int cpu_mhz(struct psinfo *ps)
{
	char text[CPUINFO_TEXT];
	const char *mhz;

	if (!ps->cpu_mhz && slurp_start(CPUINFO_FILE, text, sizeof(text)) > 0) {
		mhz = cpuinfo_value(text, "cpu MHz");
		ps->cpu_mhz = mhz ? atoi(mhz) : 0;
	}
	return ps->cpu_mhz;
}
