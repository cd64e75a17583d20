/*
 * pid.h: the probes of traced processes (pid, fpid and usdt), as those see them who run the
 * processes and those who compile programs.
 */
#ifndef PROVIDERS_PID_PID_H
#define PROVIDERS_PID_PID_H

#include "tracer/tracer.h"

struct world;

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

/* The types and symbols of the traced processes (pid_types.c). */
extern const struct typesource pid_typesource;

#endif
