/*
 * process.h: what is known of a traced process and its threads, and where a thread that is stopped
 * stands.
 */
#ifndef TRACER_PROCESS_H
#define TRACER_PROCESS_H

#include "base/target.h"

struct proc; /* one address space and its threads */
struct thread;
struct regs;

pid_t proc_pid(const struct proc *);
struct target *proc_target(struct proc *);
/* It was followed from a fork: until `ready` it has the breakpoints of its parent, which are taken
 * out by the first bkpt_commit where nobody has asked for them. */
bool proc_is_copy(const struct proc *);
bool proc_is_32bit(const struct proc *); /* it runs a program that cannot be probed */
/* Calls fn for each thread known; regs of running threads are not available. */
void proc_each_thread(struct proc *, void (*fn)(struct thread *, void *), void *arg);
pid_t thread_tid(const struct thread *);
/* Interrupts running threads that are on a CPU and calls fn for each with its registers: the
 * sampler of profile-N. Threads that sleep are not touched. */
void proc_sample(struct proc *, void (*fn)(struct thread *, const struct regs *, void *),
		 void *arg);

taddr_t thread_tcb(struct thread *); /* of a stopped thread; 0: none yet */
/* The stack that a stopped thread stands on. Between any stack pointer in it and its end all can be
 * read, as long as the thread lives; from `mapped` on in any case. False: it cannot be told. */
struct thread_stack {
	taddr_t start, mapped, end;
};
bool thread_stack(struct thread *, struct thread_stack *);
/* The same for a thread that runs, with a stack pointer of its and its %fs:0. */
bool proc_stack(struct proc *, pid_t tid, taddr_t sp, taddr_t tcb, struct thread_stack *);
bool thread_is_stopped(const struct thread *);
/* Where it goes on; also of one that has not stopped because it is deep in the kernel. False: it
 * has ended. */
bool thread_pc(struct thread *, taddr_t *pc);
/* Makes it go on elsewhere. It can if it is stopped, and not for a trap that is still to be looked
 * at, which tells of the instruction before. */
bool thread_can_move(const struct thread *);
void thread_move(struct thread *, taddr_t pc);
bool thread_is_guest(const struct thread *); /* a vfork's, in the control block of its parent */

#endif
