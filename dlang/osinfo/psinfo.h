/*
 * psinfo.h: what /proc says of the process and thread of an event, for the members of psinfo_t and
 * lwpsinfo_t that no built-in variable has (dscripts/lib/psinfo.d). Files are read when the first
 * member asks, once a firing. A process that is gone gives zeros and "".
 */
#ifndef DLANG_OSINFO_PSINFO_H
#define DLANG_OSINFO_PSINFO_H

#include "base/arena.h"

/* The indexes of procnum[] and proctext[]: dscripts/lib/psinfo.d has the same lists. */
enum procnum {
	PROCNUM_NLWP,
	PROCNUM_PGID,
	PROCNUM_SID,
	PROCNUM_EUID,
	PROCNUM_EGID,
	PROCNUM_TTYDEV,
	PROCNUM_START_SEC, /* since 1970 */
	PROCNUM_START_NSEC,
	PROCNUM_ARGC,
	PROCNUM_ARGV, /* of the stack a program starts with (System V ABI §3.4.1); 0: unreadable */
	PROCNUM_ENVP,
	PROCNUM_ARGLEN,
	PROCNUM_IS64,
	PROCNUM_LWP_PRI, /* as the scheduler counts: 0-99 real time, 100-139 normal */
	PROCNUM_LWP_NICE,
	PROCNUM_LWP_SYSCALL,  /* -1: in none */
	PROCNUM_LWP_AFFINITY, /* the first 32 CPUs */
	PROCNUM_NROWS
};

/* What an event that is told of later has recorded of them. */
struct procfacts {
	uint32_t known; /* bit n: v[n] */
	int64_t v[PROCNUM_NROWS];
};

#define PSARGS_MAX 80 /* characters of pr_psargs */

enum proctext {
	PROCTEXT_FNAME,
	PROCTEXT_PSARGS, /* 80 characters */
	PROCTEXT_CWD,
	PROCTEXT_ROOT,
	PROCTEXT_CLNAME, /* as ps -o cls: "TS", "FF", "RR", ... */
	PROCTEXT_TNAME,	 /* of the thread */
	PROCTEXT_NROWS
};

#define PSINFO_PATH 4096

struct psinfo {
	pid_t pid, tid; /* of this firing */
	bool have_proc, have_lwp;
	char proc_stat[1024], lwp_stat[1024]; /* from the field after the name on */
	char text[PROCTEXT_NROWS][PSINFO_PATH];
	struct {
		int id, chip, lgrp;
		bool is_known;
	} cpu;
	int cpu_mhz; /* 0: not asked yet */
};

struct psinfo *psinfo_new(struct arena *);
void psinfo_begin_firing(struct psinfo *);
int64_t psinfo_number(struct psinfo *, pid_t pid, pid_t tid, enum procnum);
/* Since 1970, of a process that began boot_ns after the machine: to the tick, as /proc tells it. */
int64_t psinfo_start_ns(uint64_t boot_ns);
/* Valid until the same row is asked again. */
const char *psinfo_text(struct psinfo *, pid_t pid, pid_t tid, enum proctext, const char *comm);

/* Of a CPU: its socket, its NUMA node; 0 where the system does not say. */
int cpu_chip(struct psinfo *, int cpu);
int cpu_lgrp(struct psinfo *, int cpu);
int cpu_mhz(struct psinfo *);

#endif
