/*
 * providers.h: the list of providers, and the world they share: the tracer and its processes.
 */
#ifndef PROVIDERS_PROVIDERS_H
#define PROVIDERS_PROVIDERS_H

#include "dlang/provider.h"
#include "dlang/session.h"
#include "providers/kernel/features.h"
#include "tracer/tracer.h"

extern const struct provider prov_dtrace, prov_profile, prov_pid, prov_fpid, prov_usdt,
	prov_tracepoint, prov_syscall, prov_sched, prov_proc, prov_io, prov_fbt, prov_rawtp,
	prov_diag;
extern const struct provider *const providers[];
extern const unsigned nproviders;
/* Names and arguments Evolving, the rest Private: profile and syscall (d-language.md §16.5). */
extern const struct provattrs evolving_attrs;

struct world;
struct engine;

/*
 * What happens to the traced processes, told by the engine loop to the one that keeps their address
 * spaces and probes up to date (prov_pid.c). `added`: one of -c, stopped at the rendezvous, or an
 * attached one that runs, before any `provide` for it; the others as in struct tracer_ops.
 */
struct proc_ops {
	void (*added)(struct world *, struct proc *);
	/* One that another has made, stopped; probes of the parent's process mean it too. */
	void (*followed)(struct world *, struct proc *parent, struct proc *child);
	void (*execed)(struct world *, struct proc *);
	void (*ready)(struct world *, struct proc *);
	void (*mapped)(struct world *, struct proc *);
	void (*exited)(struct world *, struct proc *);
	/* Called by the loop: looks for what nobody tells of. Returns when to be called again. */
	uint64_t (*poll)(struct world *);
	void (*born)(struct world *, struct proc *, struct thread *, taddr_t tcb);
	void (*left)(struct world *, struct proc *, struct thread *);
	void (*forked)(struct world *, struct proc *, taddr_t tcb, int mem_fd);
	/* It runs, and is about to be let go; and then, with its threads held for the last time. */
	void (*parting)(struct world *, struct proc *);
	void (*leaving)(struct world *, struct proc *);
	bool (*has_code)(struct world *, struct proc *, taddr_t pc);
	void (*faulted)(struct world *, struct code_fault *);
};
extern const struct proc_ops pid_proc_ops;

/* -v: functions whose returns are armed, and may be jumps (pid_tails.c). */
void pid_tell_tail_calls(struct world *);

/* Addresses of a traced process are about to be recorded: where one is in no mapping that is known,
 * they are read anew. */
void pid_learn_addresses(struct world *, const struct proc *, const taddr_t *pcs, unsigned npcs);

/* The types and symbols of the traced processes (pid_types.c). */
extern const struct typesource pid_typesource;
/* Those, and behind them the kernel's (typesource.c). */
extern const struct typesource kernel_typesource;
/* What the kernel tells of its types; NULL: nothing. */
struct kernel_btf *world_btf(struct world *);
struct kallsyms *world_ksyms(struct world *);
/* The function of the timer that is the scheduler's tick; 0: the kernel hides it. */
uint64_t kernel_tick_function(struct world *);
/* Takes off the frames in front that belong to who is looking. */
void world_trim_stack(struct world *, const uint64_t **pcs, unsigned *npcs);

/* A call of a traced process, for the syscall provider (sys_ptrace.c). */
void sys_stops_called(struct world *, const struct call_stop *);

/* How a traced process has ended, as waitpid tells: for the proc provider (prov_proc.c). */
void proc_ended(struct world *, pid_t, int status);
/* Descendants of the traced processes are to be traced as well, if they can be. */
void world_follow(struct world *);

enum proc_origin {
	PROC_COMMAND,  /* -c: ended with us */
	PROC_PID,      /* -p: left running */
	PROC_FOLLOWED, /* made by another, with -x follow: left running */
	PROC_NAMED,    /* by a description, as pid123: left running, and nobody waits for its end */
};

struct world;
struct world_proc;
pid_t world_proc_pid(const struct world_proc *); /* 0: it is gone */
/* There are processes of -c or -p, and their threads can be stopped and looked at. */
bool world_can_stop(const struct world *);

struct world {
	struct session *session;
	struct tracer *tracer;
	struct journal *journal;
	struct world_proc {
		struct proc *proc;	   /* NULL when gone, or not traced: */
		struct untraced *untraced; /* of -c where ptrace is forbidden */
		enum proc_origin origin;
		bool is_awaited; /* by the end of the run; descendants as their parents */
		bool is_at_exec; /* of -c, and has not made a system call yet */
	} * procs;		 /* in command-line order */
	unsigned nprocs, procs_room;
	unsigned nawaited, nlive; /* of -c and -p: all, and those that live, with their followed
				     descendants: the run ends with them */
	bool has_untraced;
	bool cannot_stop; /* a process of -c, because ptrace is forbidden */
	/* Attaches to a process that a program names (engine.c). Errors as of tracer_attach. */
	int (*grab)(struct world *, pid_t, struct err *);
	struct engine *engine; /* for grab */
	void *pid;	       /* prov_pid.c's own */
	/* system probes; NULL until one is named */
	struct perf *perf;
	struct bpf *bpf;
	struct sys_world *syscalls;
	bool follows_all; /* descendants are followed: for their system calls, or how they end */
	struct sched *sched;
	struct proc_world *proc;
	struct io_world *io;
	struct kernprobes *kernprobes;
	unsigned nfbt; /* functions of the kernel that are enabled */
	struct kernel_btf *btf;
	bool has_no_btf;	/* it was tried */
	struct kallsyms *ksyms; /* NULL: nobody asked yet */
	struct tracefs *tracefs;
	struct features features; /* what has been tried */
	bool is_verbose;	  /* -v */
};

#endif
