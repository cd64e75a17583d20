/*
 * stops.h: from a status of wait to what is done about it: who collects it, who answers, and how
 * the thread goes on.
 */
#ifndef TRACER_STOPS_H
#define TRACER_STOPS_H

#include <signal.h>

#include "base/target.h"
#include "tracer/procfs/wait.h"

struct insn_plan;
struct tracer;
struct proc;
struct thread;

/* dispatch.c */
void dispatch(struct tracer *, pid_t tid, int status);
void thread_resume(struct thread *, int sig);
void thread_enter_stop(struct thread *, int status);
/* The kernel has raised it for what the thread has executed. */
bool signal_is_fault(const siginfo_t *);
/* A thread has been where it says, and is elsewhere now: if it names that instruction (faults may)
 * or what follows it (system calls that the program has the kernel send back: SIGSYS) it names the
 * other. True: it did. */
bool signal_rename(siginfo_t *, taddr_t was, taddr_t is);
/*
 * A thread that is to stand still for a while has stopped for a signal that does nothing but stop
 * the process: lets it take that at once, and report again. What is done to it at this stop would
 * hold the signal back, and undo a SIGCONT that comes meanwhile. False: it has stopped for
 * something else.
 */
bool pass_stop_signal(struct thread *);
/*
 * A thread has stopped for an int3 before rip that is no site. Is it no longer there
 * (docs/spec/pid-engine.md §2.2)? Whoever took it out let the thread go with the signal still on
 * its way: it goes on at rip - 1. mem_fd: /proc/PID/mem.
 */
bool trap_is_phantom(int mem_fd, taddr_t rip);
/* Keeps a status for later, as if wait had not returned it. */
void tracer_postpone(struct tracer *, pid_t tid, int status);
void tracer_forget_backlog(struct tracer *, pid_t tid);
bool tracer_in_backlog(const struct tracer *, pid_t tid, int *status); /* stays there */
bool tracer_take_backlog(struct tracer *, pid_t tid, int *status);
/* One status from the backlog or from wait; false: none before a signal or without tracees. */
bool tracer_next(struct tracer *, pid_t *tid, int *status);
/* Takes all there is into the backlog: threads that have ended are reaped by it. */
void tracer_look_at_all(struct tracer *);
/*
 * Waits for that thread; what others report meanwhile goes to the backlog. The first thread of a
 * process that another one's exec ends reports no earlier than all others that it ends are reaped.
 * False: there is none (any more).
 */
bool tracer_wait_for(struct tracer *, pid_t tid, pid_t leader, int *status);
void proc_gone(struct proc *, int status);

/* follow.c */
void follow_child(struct thread *parent, enum stop_kind);
void follow_exec(struct thread *);
bool proc_is_followed(const struct proc *); /* its children become processes of ours */
void follow_release_guests(struct proc *);

/* wait_many.c */
bool wait_many_active(struct tracer *);
bool wait_many_next(struct tracer *, pid_t *tid,
		    int *status); /* as tracer_next, and false now and then
				   */

/* restart.c: at a stop without tracing there would be none: a system call it ended is made again.
 */
void restart_call(struct thread *);

/* calls.c: a thread stands at the entry or the end of a system call. */
void on_call(struct thread *);

/* codefault.c: at a signal: it was not the program's, and the thread can go on without it. */
bool clockfault_mended(struct thread *);

/*
 * refire.c. A signal is about to be delivered, with the registers as they are: the thread may come
 * back to where it stands, and a breakpoint there has fired for that.
 */
void refire_remember(struct thread *, int sig);
bool refire_is(struct thread *, taddr_t pc);	   /* at a hit: it has fired for this */
void refire_at_call(struct thread *, uint32_t nr); /* at the entry of a 64-bit system call */

/* The same, in code of the owner; or the program's registers are what they should be.
 */
bool codefault_mended(struct thread *, bool is_leaving);
/* SIGILL and the like name the instruction, which is shown elsewhere now. */
void codefault_show(struct thread *, taddr_t was);
bool codefault_is_possible(const struct thread *, int sig); /* then the owner is needed */

/* The same, of a step of the program's own that has ended (is_mended: it goes on stepping). at:
 * where the one before had ended. */
bool codefault_stepped(struct thread *, taddr_t at);

/*
 * steps.c: programs that set the trap flag. steps_itself: this thread has, now; known once one of
 * the process has been seen to.
 */
bool steps_itself(struct thread *);
/* At the end of a step: it is none that the program would make, and goes on stepping. Otherwise
 * registers are the program's, or it stands in a slot. */
bool step_is_ours(struct thread *);
/* An instruction is about to be crossed. True: nothing but step_ends will tell of its end: there
 * the thread has crossed it, and gets that signal. */
bool step_begins(struct thread *, const struct insn_plan *);
int step_ends(struct thread *);

/* sigtrap.c; learn: at a SIGTRAP of its own. Repair: at a breakpoint, where the kernel may have
 * forgotten the action. */
void sigtrap_learn(struct thread *);
void sigtrap_repair(struct thread *);
void sigtrap_inherit(struct proc *child, const struct proc *parent);
void sigtrap_begin(struct proc *); /* of a new program */
/*
 * The kernel has forced a signal on the thread, and unblocked it for that (force_sig_info_to_task of
 * kernel/signal.c). A mask that blocks nearly all others is taken to have blocked it, and does again.
 * True: it blocks nearly all.
 */
bool mask_repair(struct thread *, int sig);

/* colocate.c */
void colocate_init(struct tracer *);
void colocate_hit(struct thread *, uint64_t now_ns);
void colocate_cool(struct tracer *); /* lets go of those that hit no more */
void colocate_undo(struct thread *);
/* It stands still, and makes system calls of ours until the end; has_begun: what the beginning has
 * returned. It may have been let go meanwhile. */
bool colocate_begin(struct thread *);
void colocate_end(struct tracer *, pid_t tid, bool has_begun);
void colocate_forget(struct thread *); /* it is gone, or no longer ours to restore */
/* The child of a moved thread inherited our mask: gives it the right one. */
void colocate_child(const struct thread *parent, pid_t child);
void colocate_move(struct thread *to, struct thread *from); /* exec by another thread */

#endif
