/*
 * bkpt.h: breakpoints, and what may be asked and done while a thread stands at one. Breakpoints are
 * never stepped in place: each is crossed by an out-of-line slot with a jump back, or by emulation.
 */
#ifndef TRACER_BKPT_H
#define TRACER_BKPT_H

#include "base/target.h"
#include "base/userregs.h"

struct proc;
struct thread;
struct bkpt;

struct hit {
	struct proc *proc;
	struct thread *thread;
	pid_t tid;
	taddr_t pc;	  /* address of the probed instruction */
	uint64_t time_ns; /* CLOCK_MONOTONIC, read when the stop was collected */
	int cpu;	  /* the CPU the thread was moved to while it is hot, else 0 */
};
typedef void bkpt_fn(struct hit *, void *arg);

enum bkpt_when {	      /* before the instruction; those of one address in this order */
		 BKPT_BEFORE, /* it may change who else is called */
		 BKPT_FIRST,
		 BKPT_ALWAYS,
		 BKPT_LAST,
		 BKPT_TAKEN, /* of a direct jump, only when it will be taken */
};
/* Can the instruction at pc be probed? Writes nothing. Errors: as bkpt_add, but for slots. */
int bkpt_check(struct proc *, taddr_t pc, struct err *);
/*
 * Asks for fn to be called when pc is reached; several may share one address and are called in the
 * order of `when`, then in that they were added. Nothing is written before bkpt_commit. Errors:
 * -EINVAL with the reason why this instruction cannot be probed, -EFAULT not mapped executable,
 * -EBUSY bytes differ from the program's file (another tracer).
 */
int bkpt_add(struct proc *, taddr_t pc, enum bkpt_when, bkpt_fn *, void *arg, struct bkpt **,
	     struct err *);
void bkpt_del(struct bkpt *);
/* The same, and its byte is put back at once, if it is the last one there: also within its own hit,
 * whose thread goes on at that instruction then. */
void bkpt_del_now(struct bkpt *);
/*
 * Writes what bkpt_add and bkpt_del left to do, in bulk per page; works on a running process. On an
 * error (-ENOMEM too many: nothing is written; -EBUSY the code has changed, -EIO it cannot be
 * written: the others are) the handles stay valid. Nothing is written, and that is no error, where
 * the process has executed another program or ended: the next wait tells.
 */
int bkpt_commit(struct proc *, struct err *);

/*
 * A 16-bit counter in the program's data that tells it whether somebody listens (the semaphore of a
 * static probe): one higher until it is let go, however often it is raised, and put back by whoever
 * outlives us. Forked children that are let go get theirs back too. Errors: -EFAULT, -ENOMEM.
 */
int proc_raise_semaphore(struct proc *, taddr_t, struct err *);
/* As often as it was raised. is_unmapped: what is there now is not it any more. */
void proc_lower_semaphore(struct proc *, taddr_t, bool is_unmapped);

/* The CPU it ran on last, read from /proc: slow. -1: not known. */
int hit_true_cpu(const struct hit *);
/* During a hit only: fetched at most once per stop. */
const struct regs *hit_regs(struct hit *);
const struct fpregs *hit_fpregs(struct hit *);
/* As they will be behind the probed instruction, one that returns or jumps. False: not known. */
bool hit_regs_after(struct hit *, struct regs *);

/* Actions on the hitting process and thread; performed after the probed instruction. */
void hit_stop(struct hit *);
void hit_raise(struct hit *, int sig);
/* The thread stays where it is and tracer_wait returns: the owner is about to end the process. */
void hit_hold(struct hit *);

/*
 * What the process wants done at SIGTRAP is put back where a hit makes the kernel forget it, if it
 * is known: learn asks the process; hit_trap_action is told at the first instruction of a function
 * that asks the kernel for it (sigaction(2); 0 is SIG_DFL).
 */
void proc_learn_trap_action(struct proc *);
void hit_trap_action(struct hit *, taddr_t handler);
/* A breakpoint is within [start, end). */
bool bkpt_is_in(const struct proc *, taddr_t start, taddr_t end);
/* Calls fn for where each is, until it returns true. Returns whether it has. */
bool bkpt_find(const struct proc *, bool (*fn)(taddr_t, void *), void *arg);

#endif
