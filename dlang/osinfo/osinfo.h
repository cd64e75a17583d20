/*
 * osinfo.h: what the system says of the process behind an event: name, ids, CPU time. Read from
 * /proc when a clause asks, into fixed buffers: nothing is allocated. A process that is gone gives
 * zeros and "".
 */
#ifndef DLANG_OSINFO_OSINFO_H
#define DLANG_OSINFO_OSINFO_H

#include "base/arena.h"

struct osinfo_ids {
	pid_t ppid;
	uid_t uid;
	gid_t gid; /* real ids */
};

struct osinfo {
	/* comm, until the process or its address space is another one */
	pid_t comm_pid;
	uint32_t comm_aspace;
	char comm[17];
	/* ids, for one firing */
	bool have_ids;
	struct osinfo_ids ids;
	/* texts that D reads must lie in the arena */
	char zonename[8], empty[1];
};

struct osinfo *osinfo_new(struct arena *);
void osinfo_begin_firing(struct osinfo *);
const char *osinfo_comm(struct osinfo *, pid_t pid, uint32_t aspace);
/* A name that is known already, where D can read it; until the next call of these two. */
const char *osinfo_set_comm(struct osinfo *, const char comm[static 16]);
const struct osinfo_ids *osinfo_ids(struct osinfo *, pid_t pid);
pid_t osinfo_ppid(pid_t pid); /* 0: none, or no such process */
/* The arguments joined by blanks, at most size - 1 characters. */
void osinfo_cmdline(pid_t pid, char *buf, size_t size);
/* The first size - 1 bytes of /proc/PID/NAME as a string; its length, 0 when there is none. */
size_t osinfo_read(pid_t pid, const char *name, char *buf, size_t size);
/* Nanoseconds this thread has been on a CPU; what it spends stopped in a probe does not count. */
uint64_t osinfo_cputime(pid_t pid, pid_t tid);
/* CLOCK_REALTIME - CLOCK_MONOTONIC */
int64_t osinfo_wall_offset_ns(void);

#endif
