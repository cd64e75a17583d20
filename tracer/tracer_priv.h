/*
 * tracer_priv.h: what the files of this room share. Nobody else includes it.
 *
 * A stop is collected by tracer_wait (or by a wait for one thread), decoded by wait.c and handled
 * in dispatch.c; a hit goes through bkpt.c and the thread is resumed with its rip in a slot.
 */
#ifndef TRACER_TRACER_PRIV_H
#define TRACER_TRACER_PRIV_H

#include <sched.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"

#include "tracer/x86/insn.h"
#include "tracer/x86/regs.h"
#include "tracer/journal/journal.h"
#include "tracer/stops.h"
#include "tracer/tracer.h"
#include "tracer/procfs/vmmap.h"
#include "tracer/procfs/wait.h"

/* ---- breakpoints ---- */

enum site_state {
	SITE_NEW,   /* nothing written yet */
	SITE_ARMED, /* int3 is there */
	SITE_GONE,  /* taken out; a thread may still report it: the tombstone */
};

/* One address with an int3, shared by all who asked for it. Lives as long as the address space. */
struct site {
	taddr_t pc;
	enum site_state state;
	bool dirty;   /* in proc->dirty */
	bool no_plan; /* ours alone: the thread is put back on pc after the breakpoint is out */
	uint8_t patch_len; /* bytes replaced: 1, or 4 for an endbr64 */
	int32_t journal;   /* -1: none */
	taddr_t slot;	   /* 0: none */
	bool slot_written;
	bool may_change; /* it is not of a file */
	struct insn_plan plan;
	struct bkpt *first;
};

struct bkpt {
	struct proc *proc;
	struct site *site;
	struct bkpt *next; /* at this site; stays valid while a hit walks the list */
	struct bkpt *deferred_next;
	enum bkpt_when when;
	bool dead;
	bkpt_fn *fn;
	void *arg;
};

/* A piece of executable memory in the target, cut into slots. */
struct slot_region {
	taddr_t start;
	uint32_t nslots, used;
	bool mapped_by_us;
	struct site **owners;
};

struct slots {
	struct slot_region *r;
	unsigned n;
	taddr_t lo, hi; /* all regions lie within */
	bool refused;	/* the target may not map memory: do not ask again */
	bool unreached; /* it was not asked: no thread stopped for that */
};

/* ---- threads ---- */

enum thread_state { THREAD_RUNNING, THREAD_STOPPED, THREAD_LISTENING };

/* A thread kept on the engine's CPU while it hits often (docs/spec/pid-engine.md §4.2). */
struct colocation {
	uint64_t window_ns; /* start of the current window */
	uint32_t hits;	    /* in the window */
	int cpu;	    /* where we put it; -1: not moved */
	int32_t journal;    /* the note of it; valid while moved */
	cpu_set_t own;	    /* the mask it had */
};

/* A hit that must not fire again: the thread was put back on pc without having executed it. */
struct refire {
	taddr_t pc; /* 0: none */
	uint64_t rsp, rbp, rbx;
};

struct refires {
	struct refire next; /* what comes now, if it comes there */
	struct refire
		handled[4]; /* handlers run, the innermost last, that may come back to these */
	uint8_t n, ncalls;  /* of them; system calls since the last of them was added */
};

/* Of a thread that has the trap flag set: where its last step ended, and where one will end that is
 * not the program's; 0: nowhere. */
struct steps {
	taddr_t at, passes;
};

struct thread {
	pid_t tid, tgid;
	struct proc *proc;
	struct thread *next; /* of the proc */
	bool guest;	     /* a process of its own in our address space: vfork, clone(CLONE_VM) */
	enum thread_state state;
	struct stop stop; /* while STOPPED */
	int status;
	unsigned interrupts; /* asked for, not yet answered */
	bool reinterrupt;    /* a group-stop was passed over: have it reported again */
	bool redo;	     /* after the hit: back to pc instead of across */
	bool hold;	     /* after the hit: stay stopped (launch) */
	bool is_late;	     /* it did not stop when the others did: `born` is told when it does */
	bool halted;	     /* stopped by proc_halt: proc_go lets it run on */
	bool in_hit;	     /* its trap is dealt with, callbacks are running */
	bool is_unfiltered;  /* no system call of it is filtered, while it stays stopped */
	int raise_sig;
	bool keeps_fault; /* on leaving: the signal of its stop is delivered as it is let go */
	bool want_stop;
	struct thread_regs regs;
	struct refires refires;
	struct steps steps;
	uint32_t nhits; /* for the sampling of the signal mask */
	bool in_call;	/* its entry has been seen: */
	uint32_t call;	/* which */
	bool blocks_all;
	struct colocation colo;
};

/* ---- processes ---- */

enum stage {
	STAGE_GATE,   /* launched, not exec'd yet */
	STAGE_EXECED, /* waits for the first clean stop of the new program */
	STAGE_START,  /* on its way to the rendezvous */
	STAGE_LIVE,
};

#define USER_CS 0x33 /* of 64-bit code */

struct rtld {
	taddr_t base, debug; /* of ld.so; its r_debug */
	taddr_t entry;	     /* AT_ENTRY */
	taddr_t phdr;	     /* AT_PHDR, of the program */
	uint64_t nphdr;
	taddr_t callee; /* of the call that is waited for; 0: not known, or not of interest */
	struct bkpt *brk, *rendezvous;
};

/* At SIGTRAP: a handler or SIG_IGN, as of sigaction(2); 0 is SIG_DFL, or not known. */
struct trap_action {
	taddr_t handler;
	taddr_t asked;	  /* for by a call that has begun in the thread ... */
	pid_t asker;	  /* 0: none has */
	taddr_t sp, back; /* with this stack pointer, and this return address there */
};

/* What is kept of a process for its stacks belongs to the room that walks them. */
struct unwind;
struct unwinder {
	void (*mapped)(struct unwind *); /* the proc's maps were read again */
	void (*free)(struct unwind *);
};

struct preload;

#define PAGEMAP_CLOSED (-2)

struct seen_page {
	taddr_t page; /* its number */
	uint64_t until_ns;
};

struct proc {
	struct tracer *tracer;
	struct proc *next;
	pid_t pid;
	struct target target;
	struct thread *threads;
	unsigned nthreads;
	int mem_fd;	/* /proc/PID/mem of this address space */
	int pagemap_fd; /* the same of pagemap; PAGEMAP_CLOSED until somebody asks; -1: refused */
	struct seen_page seen_pages[256]; /* that were in memory a moment ago (mem.c) */
	unsigned nlate;			  /* reads of it that were given up */
	struct vmmap maps;
	struct hash sites;    /* pc → struct site */
	struct site **sorted; /* by pc, those a commit has seen */
	size_t nsorted, sorted_room;
	struct site **dirty;
	size_t ndirty, dirty_room;
	struct semaphore *semaphores; /* those that are raised */
	struct bkpt *deferred;	      /* deleted, freed when no hit is being handled */
	struct slots slots;
	taddr_t syscall_insn; /* 0: not looked for yet */
	struct trap_action trap;
	struct rtld rtld;
	enum evaltime evaltime;
	enum stage stage;
	bool is_copy;	/* of its parent, by fork */
	bool is_32bit;	/* the program it runs: it goes its way without breakpoints */
	bool gave_up;	/* a breakpoint that 32-bit code came to; it has been told */
	bool steps;	/* it has set the trap flag (steps.c) */
	bool is_fresh;	/* attached: its threads are looked for again before the first write */
	bool is_halted; /* by proc_halt: threads that are born stay where they are */
	struct unwind *unwind; /* NULL: no stack has been walked yet */
	const struct unwinder *unwinder;
	struct preload *preload; /* it is not traced (preload.h); NULL: it is */
	uint8_t page[PAGE];	 /* of text, for bkpt_add */
	taddr_t page_addr;	 /* 1: none */
};

struct backlog {
	pid_t tid;
	int status;
};

/* What waiting among many threads remembers (wait_many.c). */
struct wait_many {
	pid_t recent[8]; /* threads that stopped lately; 0: none */
	unsigned next, turn;
	uint64_t last_ns;
};

struct tracer {
	const struct tracer_ops *ops;
	void *arg;
	struct journal *journal;
	struct proc *procs;
	unsigned nprocs;
	struct hash threads;	 /* tid → struct thread */
	struct thread *last;	 /* the thread of the last stop, a cache */
	struct hash unclaimed;	 /* tid → status of a first stop seen before the parent's event */
	struct backlog *backlog; /* statuses collected out of turn */
	size_t nbacklog, backlog_room;
	unsigned nwaits;
	struct tracer_stats stats;
	unsigned in_hit;
	bool is_held;	  /* hit_hold was called: tracer_wait returns */
	bool want_regs;	  /* the last hit read registers: fetch them at once */
	bool have_fpregs; /* of this hit */
	struct fpregs fpregs;
	struct hash leaving; /* tids to be detached at their next stop */
	bool wants_calls;    /* threads are let run to their next system call */
	bool colocate;
	unsigned ncolocated;
	cpu_set_t mask;	 /* the engine's own */
	int cpu;	 /* where it stays while threads are moved; -1: it is free */
	unsigned visits; /* random: of the sampler */
	uint64_t cooled_ns, colocate_after_ns;
	bool is_many; /* so many threads that SIGCHLD names those that stop */
	struct wait_many many;
	struct untraced *untraced; /* of -c, that are not ours to stop */
	struct proc *launching;	   /* NULL once it has died */
	int launch_status;
};

/* proc.c */
struct proc *proc_new(struct tracer *, pid_t);
void proc_free(struct proc *);
/* The mappings have changed, or may have. */
void proc_read_maps(struct proc *);
/* The address space is gone or replaced: breakpoints, slots, maps, journal. */
void proc_forget_memory(struct proc *);
int proc_open_memory(struct proc *);
struct thread *thread_new(struct proc *, pid_t tid, pid_t tgid);
/* The same for a thread that was not known by another record before. */
struct thread *thread_begin(struct proc *, pid_t tid, pid_t tgid);
void thread_free(struct thread *);
struct thread *thread_find(struct tracer *, pid_t tid);
/* A stopped thread whose registers may be borrowed for a system call; NULL: none. */
struct thread *proc_borrow(struct proc *);
struct thread *proc_borrow_retrying(struct proc *); /* tries for longer */
/* Lets it run on, if it was stopped for that. */
void proc_give_back(struct thread *);
pid_t proc_live_tid(const struct proc *);

/* procmem.c */
taddr_t tcb_of(pid_t tid);

/* bkpt.c */
bool bkpt_is_site(const struct proc *, taddr_t pc, struct site **);
/* codechange.c: at a hit; false: the code has become something that cannot be crossed like this. */
bool codechange_check(struct proc *, struct site *);
/* An internal breakpoint whose callback sets thread->redo and deletes it: needs no plan. */
int bkpt_add_once(struct proc *, taddr_t pc, bkpt_fn *, struct bkpt **, struct err *);
void bkpt_take_out(struct proc *, struct site *); /* its byte, at once */
void bkpt_write_again(struct proc *, taddr_t start, taddr_t end);
void bkpt_restore_all(struct proc *); /* bytes only; every site is GONE afterwards */
void bkpt_restore_in(const struct proc *, int mem_fd); /* in a copy of the address space */
void bkpt_hide(const struct proc *, taddr_t addr, uint8_t *buf, size_t n);
void bkpt_release(struct proc *);

/* hit.c */
/* Fires and moves the thread across. Returns the signal to resume it with, or 0. */
int bkpt_hit(struct thread *, struct site *, uint64_t now_ns);
void hit_send_signals(struct thread *); /* that callbacks have asked for */

/* semaphore.c */
void semaphores_lower_all(struct proc *);		   /* they count as lowered afterwards */
void semaphores_lower_in(const struct proc *, int mem_fd); /* in a copy of the address space */
void semaphores_forget(struct proc *);			   /* the memory is gone */

/* inherit.c */
/* Sites and slots of a forked child that has its parent's memory, our bytes included. */
void bkpt_inherit(struct proc *child, const struct proc *parent);

/* untraced.c */
/* In a child: it would keep the others waiting for a word of ours when we are dead. */
void untraced_close_gates(const struct tracer *);

/* attach.c */
/* What every thread is traced with. */
#define TRACE_OPTIONS                                                                              \
	(PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |                          \
	 PTRACE_O_TRACEVFORKDONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD)
/* Seizes threads that came since. Before the first breakpoint of an attached process is written. */
int attach_again(struct proc *, struct err *);

/* rtld.c */
void rtld_prepare(struct proc *); /* the breakpoint that tells of libraries, for the next commit */
/* The same, and puts it in: from now on none comes or goes before its thread's
 * stop is handled, and what is found in the mappings may be written to. */
int rtld_attached(struct proc *, struct err *);
void rtld_started(struct thread *); /* the first clean stop after exec; may hold the thread */

/* detach.c: the bytes have been restored before. Frees the threads' records. */
void detach_threads(struct proc *, bool guests_only);
/* The same for a thread that did not stop in time, at the stop that it has come to now. False: it
 * has been sent on to the next one, behind which it stands at a trap of ours. */
bool detach_late(pid_t tid, struct stop);
/* Job-control stops are reported before a synchronous SIGTRAP that is already queued: detached
 * there, the thread would die of it. */
bool stop_hides_trap(pid_t tid);

#endif
