/*
 * tracer.h: the ptrace engine. Speaks of processes, threads, stops and breakpoints, never of D.
 *
 * One thread of one process (the engine) makes all calls. Nothing here prints. Facts and rules:
 * docs/spec/pid-engine.md. Breakpoints are never stepped in place: each is crossed by an
 * out-of-line slot with a jump back, or by emulation.
 *
 * The owner blocks SIGCHLD, and sets SA_NOCLDSTOP, before the first launch; tracer_wait reaps any
 * child of the calling process.
 */
#ifndef TRACER_TRACER_H
#define TRACER_TRACER_H

#include <signal.h>

#include "base/arena.h"
#include "base/userregs.h"
#include "base/target.h"
#include "tracer/bkpt.h"
#include "tracer/process.h"
#include "tracer/procmem.h"

struct tracer;

/* What the owner is told; every call happens inside tracer_wait/tracer_launch/tracer_resume. */
/* A system call of a thread, which is stopped at its entry or at its end. */
struct call_stop {
	struct proc *proc;
	struct thread *thread;
	pid_t pid, tid; /* pid: of a vfork child too, which has no proc of its own */
	bool is_entry;
	bool is_32; /* a call of a 32-bit program, or "int $0x80": nr is of another table */
	uint32_t nr;
	uint64_t args[6]; /* entry */
	int64_t ret;	  /* end */
	uint64_t time_ns;
	taddr_t pc;
};

struct code_fault;
struct tracer_ops {
	/* The process is gone: status as from waitpid. The proc is freed after this returns. */
	void (*exited)(void *arg, struct proc *, int status);
	/*
	 * A new program runs in the process; its breakpoints are gone and their handles freed
	 * (proc_target()->aspace is the owner's to renew). `ready` follows at the evaltime
	 * rendezvous.
	 */
	void (*execed)(void *arg, struct proc *);
	/* The rendezvous of a later exec is reached: libraries mapped as evaltime says. The thread
	 * that reached it is stopped; threads that constructors have started may run. */
	void (*ready)(void *arg, struct proc *);
	/* The link map changed (dlopen, dlclose), or a program without one that was held before its
	 * main has come there; the hitting thread is stopped. */
	void (*mapped)(void *arg, struct proc *);
	/*
	 * A process has made a child with memory of its own, or its vfork child runs a program now:
	 * is that one traced as well? NULL or false: it is let go, without breakpoints.
	 */
	bool (*follows)(void *arg, struct proc *parent);
	/* It is: a new proc, stopped and without breakpoints. `ready` comes next: at once for a
	 * fork, at the evaltime rendezvous for a program. */
	void (*followed)(void *arg, struct proc *parent, struct proc *child);
	/*
	 * Asked whenever a signal ends the wait of tracer_launch: a program may block before its
	 * rendezvous. True: the launch is given up, and the program killed.
	 */
	bool (*give_up)(void *arg);
	/* Optional: a thread is traced from now on. Its number may have been another's before. */
	void (*began)(void *arg, pid_t tid);
	/*
	 * Optional, for those who keep something in each thread's control block (%fs:0): a thread
	 * that has not run yet, or not since proc_halt did not reach it, or a process that shares
	 * the memory, but whose parent does not wait (vfork); one that is gone, or that we leave; a
	 * child that is a copy of the process, about to be let go, with its memory.
	 */
	void (*born)(void *arg, struct proc *, struct thread *, taddr_t tcb);
	void (*left)(void *arg, struct proc *, struct thread *);
	void (*forked)(void *arg, struct proc *, taddr_t tcb, int mem_fd);
	/* Optional: the process is about to be let go. It is still, as far as its threads can be
	 * stopped; the functions that change code may be called. */
	void (*leaving)(void *arg, struct proc *);
	/* Optional: is pc in code that the owner has put into the process? */
	bool (*has_code)(void *arg, struct proc *, taddr_t pc);
	/* Optional: a thread has faulted in such code; see there. */
	void (*faulted)(void *arg, struct code_fault *);
	/* Optional: a thread came to a breakpoint in 32-bit code, which it was not made for. It has
	 * been taken out without a call, as will be others. Told once of a process. */
	void (*gave_up)(void *arg, struct proc *, taddr_t pc);
	/* Optional: memory of the process at an address did not come within a bounded time. Told
	 * once of a process. */
	void (*late)(void *arg, struct proc *, taddr_t);
	/* Called once tracer_watch_calls has been: 64-bit calls only. */
	void (*called)(void *arg, const struct call_stop *);
};

/*
 * The program must not notice: either its registers become what they would be at its own
 * instruction, which has faulted (may_return: the handler may come back to that, and no breakpoint
 * there is to fire then: what it would do has been done); or whatever the code was there for is
 * done by other means, and the thread goes on (is_mended). Both may be false, and the registers as
 * they are.
 */
struct code_fault {
	/*
	 * No fault: a step of a program that has set the trap flag ends there, or in other code
	 * that it knows nothing of; the one before has ended at `at` (0: none has). May be any
	 * address.
	 */
	bool is_step;
	bool is_leaving; /* the process is being let go: nothing can be changed any more */
	taddr_t at;
	struct hit *hit; /* pc is yours to set; as at a breakpoint */
	struct user_regs_struct *regs;
	bool is_mended, may_return;
};

enum evaltime { EVALTIME_EXEC, EVALTIME_PREINIT, EVALTIME_POSTINIT, EVALTIME_MAIN };

struct journal; /* tracer/journal/journal.h */

struct tracer *tracer_new(const struct tracer_ops *, void *arg, struct journal *);
void tracer_free(struct tracer *); /* detaches what is left */
/*
 * For the handler of a signal that ends this process, in the thread that traces: takes the
 * breakpoints out and lets go of every thread that is stopped. Nothing else may be called after.
 */
void tracer_crashed(const struct tracer *);

struct launch {
	char *const *argv; /* argv[0] is looked up in PATH */
	char *const *envp;
	pid_t pgrp;			 /* process group to join: the front's */
	const sigset_t *sigmask;	 /* signal mask the front had at start */
	const struct sigaction *sigacts; /* dispositions the front had, by signal number, or NULL */
	enum evaltime evaltime;
	int oom_score_adj; /* what the front had: the engine's own is not for the program */
};

/*
 * Launches a program and runs it to the rendezvous (tracer_ops.ready is not called for it); it
 * stays stopped until tracer_resume. Errors: -ENOENT, -EACCES, -ENOEXEC ... of exec, as
 * "failed to execute CMD: reason"; -EOPNOTSUPP when ptrace is forbidden, with the setting that
 * forbids it. A child that dies before the rendezvous is an error too, -EINTR that the owner gave
 * up.
 */
int tracer_launch(struct tracer *, const struct launch *, struct proc **, struct err *);
void tracer_resume(struct proc *); /* lets a launched process run */
/*
 * The same where that is -EOPNOTSUPP: a program that is held before it executes and then runs
 * untraced. Nothing of tracer_ops is called for it; the evaltime does not matter. A program that is
 * not there is an error at once; one that is no program, of untraced_resume.
 */
struct untraced;
int tracer_launch_untraced(struct tracer *, const struct launch *, struct untraced **,
			   struct err *);
pid_t untraced_pid(const struct untraced *);
int untraced_resume(struct untraced *, struct err *);
/* Has it ended? status: as from waitpid. SIGCHLD tells when to ask. untraced_free is next. */
bool untraced_ended(const struct untraced *, int *status);
void untraced_kill(struct untraced *); /* ends and frees it */
void untraced_free(struct untraced *); /* it runs on, if it runs; all before tracer_free */
/*
 * The same, but a library is preloaded into the program, which lets us in before its own code runs
 * (preload.h): until tracer_resume it is as still as one that is traced, and its memory and code
 * may be read and written, and system calls made by it. Then its memory can be read and written,
 * and its end is told, but it cannot be stopped, and has no breakpoints: what needs them fails with
 * *err as it is given here, why ptrace is forbidden. Errors: -ENOTSUP the program cannot be let in
 * like that, as "NAME ...: why", and nothing has been run; of exec as above; -EINTR.
 */
int tracer_launch_preloaded(struct tracer *, const struct launch *, struct proc **, struct err *);
/* It is such a process; *word (may be NULL): the distance from %fs:0 of a word of the library's
 * that each new thread has, the address of a zero that nobody writes; a copy by fork has its
 * parent's. */
bool proc_is_preloaded(const struct proc *, int32_t *word);
/*
 * It runs, and one of its threads waits for us: calls can be made by it, and code be written that
 * nobody runs yet, as in a process that is still. caller NULL: it goes on. is_held: does it still
 * wait, and will for a while?
 */
struct proc_caller {
	int (*call)(void *arg, long nr, const uint64_t args[6], int64_t *result);
	bool (*is_held)(void *arg);
};
void proc_set_caller(struct proc *, const struct proc_caller *, void *arg);
/* Of the dynamic linker: the function that it calls when libraries have come or gone, and its
 * struct r_debug (0: not known). 0: it is not found. */
taddr_t proc_linker_hook(struct proc *, taddr_t *debug);
/* It has executed another program, which has no such library. */
bool proc_has_left(const struct proc *);
/*
 * Attaches to a running process, without stopping it: it runs on, and from now on tracer_wait must
 * be called soon and often. evaltime is that of programs it may yet exec. Errors, with the reason
 * as the sentence: -ESRCH "No such process" or a zombie, -EINVAL a thread's id or a 32-bit program,
 * -EPERM, -EEXIST traced already by this tracer.
 */
int tracer_attach(struct tracer *, pid_t, enum evaltime, struct proc **, struct err *);
/* It has ended or executes another program, and no event has told so yet. */
bool proc_has_lost_memory(const struct proc *);
/* Does this child of it come by itself: made since, or in the same memory (vfork)? */
bool proc_brings(const struct proc *, pid_t child);
/*
 * The next two: never during a hit or another callback, but that the owner's die_cleanup may detach
 * at any time. The proc is freed.
 */
void tracer_kill(struct proc *); /* SIGKILL, and waits for the end: `exited` is called */
/* Takes breakpoints and slots out, waits at most 1 s for stops, detaches; the process runs on.
 * `exited` is not called. */
void tracer_detach(struct proc *);

/* Off: no thread is ever moved to the engine's CPU. On unless the engine may use one CPU only. */
void tracer_set_colocate(struct tracer *, bool);

/* From now on every system call of every thread is two stops, told by `called`. */
void tracer_watch_calls(struct tracer *);

unsigned tracer_nprocs(const struct tracer *);
/*
 * Waits for stops and handles them, until deadline_ns (CLOCK_MONOTONIC; UINT64_MAX: none), a
 * signal, or 64 events. Returns the number of events handled (0: deadline, signal, or nothing to
 * wait for). The deadline is looked at between stops: the owner's periodic timer ends a long wait.
 */
int tracer_wait(struct tracer *, uint64_t deadline_ns);
/*
 * For an owner that is busy for long before its first tracer_wait: lets threads run on that have
 * stopped for a signal, for a new thread or child, or for job control. Does not wait, and calls
 * nothing of tracer_ops that could add or remove a process: those stops are left to tracer_wait.
 */
void tracer_serve(struct tracer *);

/* The same without waiting: handles what has stopped by now. */
void tracer_poll(struct tracer *);

struct tracer_stats {
	uint64_t stops, hits;
};
const struct tracer_stats *tracer_stats(const struct tracer *);

/* Why ptrace of pid is not allowed: one sentence naming setting, capability or tracer. */
void tracer_explain_eperm(pid_t pid, struct err *);
/* Traces a child for a moment. Errors: why that is not possible. */
int tracer_self_test(struct err *);
int tracer_yama_scope(void); /* kernel.yama.ptrace_scope; -1: there is no Yama */
/* Our capabilities are worth something only among the processes of a namespace. */
bool tracer_in_user_namespace(void);

#endif
