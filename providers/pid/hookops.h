/*
 * hookops.h: what hooks (fpid) have to do at the moments of a process that breakpoints do not need
 * to be told of. They are in use when a description has named fpid: pid_world.hook_ops is not NULL.
 */
#ifndef PROVIDERS_PID_HOOKOPS_H
#define PROVIDERS_PID_HOOKOPS_H

#include "providers/pid/site.h"

/* All members are there. */
struct hook_ops {
	/* They are in use from now on; then `added` for all processes that are there. */
	void (*begin)(struct pid_world *);
	void (*end)(struct pid_world *); /* all processes and sites are gone */
	void (*added)(struct pid_proc *);
	void (*removed)(struct pid_proc *); /* it is about to be freed; `forget` came before */
	void (*copy_begins)(struct fork_copy *);
	void (*copy_ends)(struct fork_copy *);
	/* Fires an event of a breakpoint's hit, where that takes more than event_fire(): true. */
	bool (*fire)(struct pid_proc *, struct event *);
	/* A breakpoint is to be added at pc. Errors: -EBUSY it would not be come to. */
	int (*make_way)(struct pid_proc *, taddr_t pc, struct err *);
	/* Fresh modules whose sites are known from another process: they are fresh no more, and
	 * have no sites until somebody asks for those. */
	void (*recall)(struct pid_proc *);
	/* Sites that are known so are made: of the function that begins there; 0: all of them. */
	void (*show)(struct pid_proc *, taddr_t function);
	/* Sites were added; pid_commit follows. Errors: of writing code, refusals of exact names.
	 */
	int (*settle)(struct session *, struct pid_proc *, struct err *);
	void (*unmapped)(struct pid_proc *, const struct hash *functions); /* the keys */
	void (*collect)(struct pid_proc *);		    /* hands over what has been counted */
	void (*forget)(struct pid_proc *);		    /* its program is gone */
	uint64_t (*poll)(struct world *);		    /* returns when to be called again */
	void (*part)(struct session *, struct pid_proc *);  /* unhooked, while it runs */
	void (*leave)(struct session *, struct pid_proc *); /* it is let go */
	/* as in struct proc_ops */
	void (*born)(struct pid_proc *, struct thread *, taddr_t tcb);
	void (*left)(struct pid_proc *, struct thread *);
	void (*forked)(struct pid_proc *, taddr_t tcb, int mem_fd);
	bool (*has_code)(const struct pid_proc *, taddr_t pc);
	void (*faulted)(struct pid_proc *, struct code_fault *);
};

#endif
