/*
 * procfs.h: single facts about a process or thread, from /proc. All of it may be out of date when
 * it is returned, and the process may be gone.
 */
#ifndef TRACER_PROCFS_PROCFS_H
#define TRACER_PROCFS_PROCFS_H

#include "base/base.h"

/* A number of /proc/PID/status by its name. False: no such process or field. */
bool procfs_status(pid_t, const char *name, int base, uint64_t *v);
/* What a signal does to it: it has a handler, or it is ignored. False: neither, or it is gone. */
bool procfs_catches(pid_t, int sig);
bool procfs_ignores(pid_t, int sig);
/* The state letter of /proc/PID/stat; '\0': no such process. flags may be NULL (PF_*). */
char procfs_state(pid_t, unsigned long *flags);
int procfs_cpu(pid_t tid);	 /* where it ran last; -1: not known */
int procfs_ready_cpu(pid_t tid); /* where it runs, or waits for its turn; -1: it does neither */
/* How long it has been on CPUs; behind by up to a tick while it is on another one. 0: not known. */
uint64_t procfs_ran_ns(pid_t tid);
bool procfs_is_alive(pid_t); /* neither gone nor a zombie */
/* It sleeps where no stop reaches it, as the parent of a vfork child does, or is dead. Any other
 * thread stops when it is given a CPU, which on a busy machine may take long. */
bool procfs_is_uninterruptible(pid_t tid);
/* Where a thread comes out of the kernel, and its stack pointer. False: it is not in the kernel, or
 * gone. */
bool procfs_pc(pid_t tid, uint64_t *pc, uint64_t *sp);
/* The name of a process, "?" when it is gone. */
void procfs_comm(pid_t, char *buf, size_t size);
/* Where its stack began: the address of argc (System V ABI, "Process Initialization"). 0: not
 * known. */
taddr_t procfs_start_stack(pid_t);
/* A file's first line without its newline. False: it cannot be read. */
bool procfs_line(const char *path, char *buf, size_t size);
/* Its memory, to be read and written, the caller's to close. Negative: errno says why. */
int procfs_open_memory(pid_t);

/*
 * Is /proc there, and of the PID namespace we are in? Without it no process can be looked at.
 * Errors: -ENOENT, -EXDEV, -EMFILE ..., with what to do.
 */
struct err;
int procfs_check(struct err *);
/* Processes have the numbers here that the kernel itself calls them by. */
bool procfs_in_root_pidns(void);

/* Has this process the capability (CAP_SYS_PTRACE, linux/capability.h)? */
bool procfs_is_capable(int capability);

/* The calling process's oom_score_adj (man proc). Reading: 0 when it cannot be read. */
int procfs_oom_score_adj(void);
void procfs_set_oom_score_adj(int); /* lower than it was needs CAP_SYS_RESOURCE: then nothing */

#endif
