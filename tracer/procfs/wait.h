/*
 * wait.h: what a wait status means. Pure functions over the table of docs/spec/pid-engine.md §2.2.
 */
#ifndef TRACER_PROCFS_WAIT_H
#define TRACER_PROCFS_WAIT_H

#include "base/base.h"

enum stop_kind {
	STOP_EXITED,	/* the thread is gone; status as from waitpid */
	STOP_TRAP,	/* SIGTRAP is about to be delivered: a breakpoint, a step, or somebody's */
	STOP_SIGNAL,	/* sig is about to be delivered */
	STOP_GROUP,	/* job control stopped the process with sig: PTRACE_LISTEN */
	STOP_INTERRUPT, /* answer to PTRACE_INTERRUPT, first stop of a child, or end of a group-stop
			 */
	STOP_CLONE,	/* new task: PTRACE_GETEVENTMSG */
	STOP_FORK,
	STOP_VFORK,
	STOP_VFORK_DONE,
	STOP_SYSCALL, /* entry of a system call, or its end */
	STOP_EXEC,    /* PTRACE_GETEVENTMSG: the tid that called exec */
	STOP_OTHER,   /* an event we did not ask for: continue */
};

struct stop {
	enum stop_kind kind;
	int sig; /* STOP_SIGNAL and STOP_TRAP: the signal; STOP_GROUP: the stopping one; else 0 */
};

struct stop stop_decode(int status);

enum trap_kind {
	TRAP_KIND_INT3, /* SI_KERNEL: x86 reports an int3 so, not as TRAP_BRKPT */
	TRAP_KIND_STEP, /* a single step, also one over a system call */
	TRAP_KIND_SENT, /* kill, tgkill, sigqueue: somebody meant it */
	TRAP_KIND_HARDWARE,
};

enum trap_kind trap_decode(int si_code);

#endif
