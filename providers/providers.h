/*
 * providers.h: the list of providers, and the world they share: tracer, processes of -c.
 */
#ifndef PROVIDERS_PROVIDERS_H
#define PROVIDERS_PROVIDERS_H

#include "dlang/provider.h"
#include "dlang/session.h"
#include "tracer/tracer.h"

extern const struct provider prov_dtrace, prov_profile, prov_pid;
extern const struct provider *const providers[];
extern const unsigned nproviders;

struct world;

/*
 * What happens to the processes of -c, told by the engine loop to the one that keeps their address
 * spaces and probes up to date (prov_pid.c). `launched`: stopped at the rendezvous, before any
 * `provide`; the others as in struct tracer_ops.
 */
struct proc_ops {
	void (*launched)(struct world *, struct proc *);
	void (*execed)(struct world *, struct proc *);
	void (*ready)(struct world *, struct proc *);
	void (*mapped)(struct world *, struct proc *);
	void (*exited)(struct world *, struct proc *);
};
extern const struct proc_ops pid_proc_ops;

struct world {
	struct session *session;
	struct tracer *tracer;
	struct journal *journal;
	struct proc **procs; /* of -c, in command-line order; NULL when gone */
	unsigned nprocs, nlive;
	void *pid; /* prov_pid.c's own */
};

#endif
